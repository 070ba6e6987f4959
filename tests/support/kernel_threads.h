#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "tensor/kernels/team_size.h"

namespace lectern::kernels {

/// Sets the serial threshold for the current scope, so that small sizes run on a team.
class SerialThreshold {
 public:
  explicit SerialThreshold(std::int64_t work) : before_(serial_threshold.exchange(work)) {}
  ~SerialThreshold() { serial_threshold = before_; }
  SerialThreshold(const SerialThreshold&) = delete;
  SerialThreshold& operator=(const SerialThreshold&) = delete;

 private:
  std::int64_t before_;
};

/// Exactly `count` bytes of scratch at a multiple of 64, so that a sanitizer sees one byte more.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::int64_t count)
      : bytes_(static_cast<std::byte*>(
            ::operator new(static_cast<std::size_t>(count), std::align_val_t{64}))) {}
  std::byte* data() { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace lectern::kernels
