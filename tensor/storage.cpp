#include "tensor/storage.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "tensor/error.h"

namespace lectern {
namespace {

// A training step asks for the same sizes again and again, and the system's allocator returns
// large blocks to the kernel and faults them in anew each time. So freed blocks are kept in lists
// by size class and handed out again. A list runs through the freed blocks themselves: giving
// memory back needs none, so it can not fail.
//
// Classes: four for each power of two (64, 80, 96, 112, 128, 160, …), so at most a fifth of a
// block is unused.

constexpr std::size_t kSmallest = 64;

struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) {
  if (bytes <= kSmallest) return {0, kSmallest};
  const auto octave = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;  // 2^octave < bytes
  const std::size_t step = (std::size_t{1} << octave) / 4;
  const std::size_t quarter = (bytes - (std::size_t{1} << octave) + step - 1) / step;  // 1..4
  return {(octave - 6) * 4 + quarter, (std::size_t{1} << octave) + quarter * step};
}

struct FreeBlock {
  FreeBlock* next;
};

#ifdef LECTERN_NO_CACHE  // a sanitizer sees a use after free only if the block is really freed
constexpr bool kCaches = false;
#else
constexpr bool kCaches = true;
#endif

/// The lists are behind a lock, the counts are not: while nothing is cached, threads that allocate
/// do not wait for each other, which would hide their races from a sanitizer.
class Allocator {
 public:
  void* take(std::size_t bytes, std::int64_t counted) {
    const SizeClass size = size_class(bytes);
    void* block = from_cache(size);
    if (block == nullptr) block = from_system(size.bytes, counted);
    const std::int64_t live = live_bytes_.fetch_add(counted, kRelaxed) + counted;
    std::int64_t peak = peak_bytes_.load(kRelaxed);
    while (peak < live && !peak_bytes_.compare_exchange_weak(peak, live, kRelaxed)) {
    }
    return block;
  }

  void give_back(void* block, std::size_t bytes, std::int64_t counted) {
    live_bytes_.fetch_sub(counted, kRelaxed);
    if constexpr (kCaches) {
      const SizeClass size = size_class(bytes);
      const std::lock_guard lock(mutex_);
      free_[size.index] = new (block) FreeBlock{free_[size.index]};
      cached_bytes_ += static_cast<std::int64_t>(size.bytes);
    } else {
      std::free(block);
    }
  }

  MemoryStats stats() {
    const std::lock_guard lock(mutex_);
    return {.live_bytes = live_bytes_.load(kRelaxed),
            .peak_bytes = peak_bytes_.load(kRelaxed),
            .cached_bytes = cached_bytes_,
            .system_requests = system_requests_.load(kRelaxed)};
  }

  void reset_peak() { peak_bytes_.store(live_bytes_.load(kRelaxed), kRelaxed); }

  void release_cache() {
    const std::lock_guard lock(mutex_);
    for (FreeBlock*& first : free_) {
      while (first != nullptr) std::free(std::exchange(first, first->next));
    }
    cached_bytes_ = 0;
  }

 private:
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

  void* from_cache(const SizeClass& size) {
    if constexpr (!kCaches) return nullptr;
    const std::lock_guard lock(mutex_);
    FreeBlock* const block = free_[size.index];
    if (block == nullptr) return nullptr;
    free_[size.index] = block->next;
    cached_bytes_ -= static_cast<std::int64_t>(size.bytes);
    return block;
  }

  void* from_system(std::size_t bytes, std::int64_t counted) {
    constexpr std::size_t address_space = std::size_t{1} << 47;
    const auto ask = [&] {
      system_requests_.fetch_add(1, kRelaxed);
      return bytes < address_space ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr;
    };
    void* block = ask();
    if (block == nullptr) {
      release_cache();
      block = ask();
    }
    require<MemoryError>(block != nullptr, "memory: the system has no block of {} bytes", counted);
    return block;
  }

  std::atomic<std::int64_t> live_bytes_ = 0;
  std::atomic<std::int64_t> peak_bytes_ = 0;
  std::atomic<std::int64_t> system_requests_ = 0;
  std::mutex mutex_;
  std::array<FreeBlock*, 256> free_{};
  std::int64_t cached_bytes_ = 0;
};

/// Never destroyed: tensors with static storage may outlive any other static object.
Allocator& allocator() {
  static Allocator* const instance = new Allocator;
  return *instance;
}

}  // namespace

Storage::Storage(std::int64_t bytes) {
  const std::size_t whole = sizeof(Block) + static_cast<std::size_t>(bytes);
  block_ = new (allocator().take(whole, bytes)) Block{{1}, {0}, bytes};
}

void Storage::release() {
  const std::int64_t bytes = block_->bytes;
  block_->~Block();
  allocator().give_back(block_, sizeof(Block) + static_cast<std::size_t>(bytes), bytes);
}

MemoryStats memory_stats() { return allocator().stats(); }
void reset_peak_memory() { allocator().reset_peak(); }
void release_cached_memory() { allocator().release_cache(); }

}  // namespace lectern
