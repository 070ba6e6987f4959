#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace lectern::translate {

/// Where a piece of work stands.
struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< steps
  double loss = 0;         ///< mean so far, nats/token
  double tokens_per_s = 0;
  double seconds_left = 0;
};

/// "1:05 h", "2:03 min", "12 s".
std::string duration_text(double seconds);

/// One line for a terminal: "epoch 3/8 [######....]  61 %  loss 2.341  7812 tokens/s  12 s left".
std::string progress_bar(const std::string& label, const Progress& progress);

/// The same in words, for a log: "epoch 3/8: step 143 of 235, loss 2.341, …".
std::string progress_line(const std::string& label, const Progress& progress);

/// Shows on `out` how far a piece of work is: a bar that is drawn over itself on a terminal, a
/// plain line every ten seconds elsewhere. Removes the bar when it goes out of scope.
class ProgressDisplay {
 public:
  ProgressDisplay(std::FILE* out, std::string label, std::int64_t total);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void update(std::int64_t done, double loss, double tokens_per_s);

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  std::string label_;
  std::int64_t total_;
  bool is_terminal_;
  Clock::time_point begin_;
  Clock::time_point shown_;
};

}  // namespace lectern::translate
