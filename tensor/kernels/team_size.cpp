#include "tensor/kernels/team_size.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

namespace lectern {

std::atomic<std::int64_t> serial_threshold{50'000};

bool is_worth_a_team(double work) {
  return work >= static_cast<double>(serial_threshold.load(std::memory_order_relaxed));
}

// Linux tells in /proc how many threads run at this moment, which processors there are, and what
// each thread of this program does. Another system has no such files: there every count is 0.

namespace {

using std::chrono::steady_clock;

thread_local steady_clock::time_point team_ended{};

int processors() {
  std::ifstream lines("/proc/stat");  // "cpu …", "cpu0 …", "cpu1 …", and others
  int count = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) ++count;
  return std::max(count - 1, 0);
}

/// Threads of all programs that run or wait for a processor.
int running_threads() {
  std::ifstream file("/proc/loadavg");  // "0.20 0.18 0.12 1/80 11206": the fourth number
  std::string average;
  int running = 0;
  file >> average >> average >> average >> running;
  return running;
}

/// Those of this program.
int own_running_threads() {
  std::error_code error;  // nothing here is worth an exception
  std::filesystem::directory_iterator thread("/proc/self/task", error);
  int running = 0;
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    std::ifstream file(thread->path() / "stat");  // "77 (name) R …"
    std::string text;
    std::getline(file, text);
    if (text.find(") R ") != std::string::npos) ++running;
  }
  return running;
}

}  // namespace

int count_free_processors() {
  static const int all = processors();
  if (all == 0) return std::numeric_limits<int>::max();
  const int own = own_running_threads();  // first: one that falls asleep now is no other's
  const int others = std::max(running_threads() - own, 0);
  return std::max(all - others, 1);
}

void FreeProcessors::note(int count) {
  is_doubtful_ = count < believed_ && !is_doubtful_;
  if (!is_doubtful_) believed_ = count;
}

void note_end_of_team() { team_ended = steady_clock::now(); }

int team_size(double work, int threads, bool is_awake, int free_processors) {
  constexpr double waking = 16;  // times the work that pays for a team awake
  if (!is_worth_a_team(work)) return 1;
  if (is_worth_a_team(0)) return threads;
  return is_awake || is_worth_a_team(work / waking) ? std::min(threads, free_processors) : 1;
}

int team_size(double work, int threads) {
  constexpr auto stays_awake = std::chrono::microseconds(250);  // they spin for 300: threads.h
  constexpr std::chrono::milliseconds stays_known(50), stays_doubtful(2);
  static thread_local FreeProcessors free_processors;
  static thread_local steady_clock::time_point counted{};
  if (threads <= 1 || !is_worth_a_team(work)) return 1;
  const auto now = steady_clock::now();
  const bool is_awake = now - team_ended < stays_awake;
  if (team_size(work, threads, is_awake, threads) == 1) return 1;  // whoever else runs
  if (now - counted >= (free_processors.is_doubtful() ? stays_doubtful : stays_known)) {
    free_processors.note(count_free_processors());
    counted = now;
  }
  return team_size(work, threads, is_awake, free_processors.believed());
}

}  // namespace lectern
