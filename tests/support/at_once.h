#pragma once

#include <exception>
#include <latch>
#include <thread>
#include <vector>

namespace lectern {

/// Calls run(0), run(1), … on `count` threads that start together; returns when all have ended.
/// An exception of one of them is thrown on.
template <class Run>
void at_once(int count, const Run& run) {
  std::latch start(count);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        run(i);
      } catch (...) {
        errors[static_cast<std::size_t>(i)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

}  // namespace lectern
