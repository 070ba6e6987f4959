#pragma once

#include <atomic>
#include <cstdint>

// These stand outside the kernels' namespace, of which a portable build has several: they share
// them.

namespace lectern {

/// Work below which a kernel stays on one thread, in units of about one nanosecond of one core.
///
/// Results never depend on it; tests set it to 0, so that every size runs on a whole team.
extern std::atomic<std::int64_t> serial_threshold;

/// Whether `work` (units of `serial_threshold`) pays for a team that is awake.
bool is_worth_a_team(double work);

// Threads that wait for work spin for a moment and then sleep. A team still awake joins within
// microseconds, one asleep takes up to a tenth of a millisecond on a virtual machine: more than
// most ops of a small model. So a team that has just worked works on, and only much work wakes it.
//
// A team is as slow as its slowest member: where another program holds a processor, one member more
// than there are processors left makes all wait.

/// Says that a team of this thread has ended just now.
void note_end_of_team();

/// Processors that no other program uses at this moment, at least 1. Takes some 50 microseconds.
/// Where the system doesn't tell (it is not Linux), more than there are.
int count_free_processors();

/// The free processors to reckon with. Some thread of the system runs for a moment in one of a
/// hundred counts, and with fewer threads the work may take twice as long until the next: so fewer
/// processors are believed only when two counts in a row say so.
class FreeProcessors {
 public:
  void note(int count);

  int believed() const { return believed_; }
  /// Whether the last count was below what is believed: then the next should follow soon.
  bool is_doubtful() const { return is_doubtful_; }

 private:
  int believed_ = 1;
  bool is_doubtful_ = false;
};

/// Threads worth using for `work` (units of `serial_threshold`) when `threads` are offered: all of
/// them if the threshold is 0, else no more than are free.
int team_size(double work, int threads, bool is_awake, int free_processors);

/// The same for the team of this thread as it is now. Processors are counted 20 times a second, as
/// long as work comes that is worth a team.
int team_size(double work, int threads);

}  // namespace lectern
