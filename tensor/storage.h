#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lectern {

/// A block of memory that tensors share: reference counted, 64-byte aligned, from a caching
/// allocator. Its version rises with every write through the library, so that a value saved for
/// the backward pass can tell whether it is still the one that was saved.
///
/// Thread safety: handles to one block may be copied and dropped by several threads; writing to
/// the bytes is the caller's to order.
class Storage {
 public:
  Storage() = default;
  /// Throws: MemoryError if the system has no such block.
  explicit Storage(std::int64_t bytes);
  Storage(const Storage& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Storage(Storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Storage() {
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      release();
    }
  }

  explicit operator bool() const { return block_ != nullptr; }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(block_ + 1); }
  /// For writing: raises the version.
  std::byte* mutable_data() {
    block_->version.fetch_add(1, std::memory_order_relaxed);
    return reinterpret_cast<std::byte*>(block_ + 1);
  }
  std::int64_t bytes() const { return block_ == nullptr ? 0 : block_->bytes; }
  std::uint64_t version() const { return block_->version.load(std::memory_order_relaxed); }
  /// Whether no other handle to this block exists.
  bool unique() const { return block_->owners.load(std::memory_order_acquire) == 1; }
  friend bool operator==(const Storage& a, const Storage& b) { return a.block_ == b.block_; }

 private:
  /// Stands in front of the bytes, in the same allocation.
  struct alignas(64) Block {
    std::atomic<std::int64_t> owners;
    std::atomic<std::uint64_t> version;
    std::int64_t bytes;  ///< as asked for, before rounding
  };
  void release();

  Block* block_ = nullptr;
};

/// What tensors of all threads hold and what the allocator does for them. Bytes are as asked for,
/// before rounding to a size class.
struct MemoryStats {
  std::int64_t live_bytes;       ///< held by tensors now
  std::int64_t peak_bytes;       ///< the most held since the start or reset_peak_memory()
  std::int64_t cached_bytes;     ///< kept by the allocator for reuse
  std::int64_t system_requests;  ///< times the system's allocator was asked, since the start
};

MemoryStats memory_stats();
/// From now on peak_bytes counts from what is live now.
void reset_peak_memory();
/// Gives all cached memory back to the system.
void release_cached_memory();

}  // namespace lectern
