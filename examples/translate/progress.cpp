#include "examples/translate/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace lectern::translate {
namespace {

constexpr std::int64_t kBarWidth = 24;  // characters
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kNewLine{10};

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, seconds) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

std::string progress_bar(const std::string& label, const Progress& p) {
  const std::int64_t filled = p.total > 0 ? kBarWidth * p.done / p.total : kBarWidth;
  const std::int64_t percent = p.total > 0 ? 100 * p.done / p.total : 100;
  return fmt::format("{} [{:#<{}}{:.<{}}] {:3} %  loss {:.3f}  {:.0f} tokens/s  {} left", label, "",
                     filled, "", kBarWidth - filled, percent, p.loss, p.tokens_per_s,
                     duration_text(p.seconds_left));
}

std::string progress_line(const std::string& label, const Progress& p) {
  return fmt::format("{}: step {} of {}, loss {:.3f}, {:.0f} tokens/s, {} left", label, p.done,
                     p.total, p.loss, p.tokens_per_s, duration_text(p.seconds_left));
}

ProgressDisplay::ProgressDisplay(std::FILE* out, std::string label, std::int64_t total)
    : out_(out),
      label_(std::move(label)),
      total_(total),
      is_terminal_(isatty(fileno(out)) != 0),
      begin_(Clock::now()),
      shown_(begin_) {}

ProgressDisplay::~ProgressDisplay() {
  if (is_terminal_) {
    std::fputs("\r\x1b[K", out_);  // back to the margin, erase the line
    std::fflush(out_);
  }
}

void ProgressDisplay::update(std::int64_t done, double loss, double tokens_per_s) {
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (is_terminal_ ? Clock::duration(kRedraw) : Clock::duration(kNewLine))) return;
  shown_ = now;
  const auto remaining =
      static_cast<double>(total_ - done) / static_cast<double>(std::max<std::int64_t>(done, 1));
  const Progress progress{done, total_, loss, tokens_per_s,
                          seconds_between(begin_, now) * remaining};
  if (is_terminal_) {
    fmt::print(out_, "\r{}\x1b[K", progress_bar(label_, progress));
  } else {
    fmt::print(out_, "{}\n", progress_line(label_, progress));
  }
  std::fflush(out_);
}

}  // namespace lectern::translate
