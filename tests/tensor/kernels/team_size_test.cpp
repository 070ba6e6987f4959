#include "tensor/kernels/team_size.h"

#include <gtest/gtest.h>

#ifdef __linux__
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tensor/kernels/parallel.h"
#include "tests/support/kernel_threads.h"

namespace lectern::kernels {
namespace {

using namespace std::chrono_literals;

TEST(TeamThreads, ThresholdOfZeroTakesAllForAnything) {
  const SerialThreshold threshold(0);
  EXPECT_EQ(team_size(0, 4), 4);
  EXPECT_EQ(team_size(0, 1), 1);
  EXPECT_EQ(team_size(0, 4, false, 1), 4);
}

TEST(TeamThreads, LittleWorkStaysOnOne) {
  const SerialThreshold threshold(1000);
  EXPECT_EQ(team_size(999, 4), 1);
  EXPECT_EQ(team_size(999, 4, true, 4), 1);
}

TEST(TeamThreads, SomeWorkContinuesATeamAndOnlyMuchWakesOne) {
  const SerialThreshold threshold(1000);
  EXPECT_EQ(team_size(1000, 4, true, 4), 4);
  EXPECT_EQ(team_size(1000, 4, false, 4), 1);
  EXPECT_EQ(team_size(15'999, 4, false, 4), 1);
  EXPECT_EQ(team_size(16'000, 4, false, 4), 4);
}

TEST(TeamThreads, AreNoMoreThanAreFree) {
  const SerialThreshold threshold(1000);
  EXPECT_EQ(team_size(1e9, 4, true, 3), 3);
  EXPECT_EQ(team_size(1e9, 4, false, 1), 1);
  EXPECT_EQ(team_size(1e9, 4, true, 64), 4);
}

TEST(FreeProcessors, AreOneUntilTheFirstCount) {
  FreeProcessors free;
  EXPECT_EQ(free.believed(), 1);
  EXPECT_FALSE(free.is_doubtful());
  free.note(4);
  EXPECT_EQ(free.believed(), 4);
}

TEST(FreeProcessors, AreFewerOnlyWhenTwoCountsInARowSaySo) {
  FreeProcessors free;
  free.note(4);
  free.note(2);
  EXPECT_EQ(free.believed(), 4);
  EXPECT_TRUE(free.is_doubtful());
  free.note(4);
  EXPECT_EQ(free.believed(), 4);
  EXPECT_FALSE(free.is_doubtful());
  free.note(3);
  free.note(2);
  EXPECT_EQ(free.believed(), 2);
  EXPECT_FALSE(free.is_doubtful());
  free.note(1);
  free.note(1);
  EXPECT_EQ(free.believed(), 1);
}

TEST(FreeProcessors, AreMoreAtOnce) {
  FreeProcessors free;
  free.note(1);
  EXPECT_FALSE(free.is_doubtful());
  free.note(3);
  EXPECT_EQ(free.believed(), 3);
}

TEST(TeamThreads, FallAsleepAfterAMoment) {
  const SerialThreshold threshold(1000);
  on_team(2, [](int, int) {});
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(team_size(1000, 2), 1);
}

#ifdef __linux__

[[noreturn]] void keep_busy() {
  static std::atomic<bool> for_ever = true;
  while (for_ever) {
  }
  ::_exit(0);
}

/// So many copies of this program that do nothing but keep a processor.
class BusyPrograms {
 public:
  explicit BusyPrograms(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const pid_t child = ::fork();
      if (child == 0) keep_busy();
      children_.push_back(child);
    }
  }
  ~BusyPrograms() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> children_;
};

TEST(TeamThreads, ProcessorsOfOtherProgramsAreNotFree) {
  if (count_free_processors() > 4096) GTEST_SKIP() << "this system doesn't tell";
  const BusyPrograms busy(2 * std::thread::hardware_concurrency());
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (count_free_processors() > 1 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(count_free_processors(), 1);
}

/// The most processors seen free in a tenth of a second, while this program keeps `threads` busy.
int most_free_beside(unsigned threads) {
  std::atomic<bool> is_over = false;
  std::vector<std::thread> spinning;
  for (unsigned i = 0; i < threads; ++i) {
    spinning.emplace_back([&] {
      while (!is_over) {
      }
    });
  }
  int most = 0;
  for (int i = 0; i < 100; ++i) {
    most = std::max(most, count_free_processors());
    std::this_thread::sleep_for(1ms);
  }
  is_over = true;
  for (std::thread& thread : spinning) thread.join();
  return most;
}

TEST(TeamThreads, OfThisProgramLeaveProcessorsFree) {
  if (count_free_processors() > 4096) GTEST_SKIP() << "this system doesn't tell";
  // Other programs may come between, so there are several attempts.
  bool as_many = false;
  for (int attempt = 0; attempt < 20 && !as_many; ++attempt) {
    as_many = most_free_beside(std::thread::hardware_concurrency()) >= most_free_beside(0);
  }
  EXPECT_TRUE(as_many);
}

#endif

}  // namespace
}  // namespace lectern::kernels
