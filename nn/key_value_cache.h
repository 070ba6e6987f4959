#pragma once

#include "tensor/tensor.h"

namespace lectern::nn {

/// Keys and values of the positions decoded so far, in buffers made once: a new position is
/// appended instead of computing all earlier ones again.
///
/// Only for use without recording: the buffers are written in place.
class KeyValueCache {
 public:
  /// Throws: ShapeError for a negative size.
  KeyValueCache(std::int64_t batch, std::int64_t heads, std::int64_t capacity,
                std::int64_t head_width, DType dtype = DType::f32);

  struct KeysAndValues {
    Tensor keys;    ///< [B, H, length, D], a view of the buffer
    Tensor values;  ///< [B, H, length, D], a view of the buffer
  };
  /// Appends the keys and values of T new positions, both [B, H, T, D]; returns all so far.
  /// Throws: ShapeError if a shape does not fit or the buffer is full; GradError while recording.
  KeysAndValues append(const Tensor& keys, const Tensor& values);

  /// Keeps the samples rows[0], rows[1], … (i64) in this order, e.g. the unfinished sentences.
  void select(const Tensor& rows);

  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return keys_.shape()[2]; }

 private:
  Tensor keys_;    // [B, H, capacity, D]
  Tensor values_;  // [B, H, capacity, D]
  std::int64_t length_ = 0;
};

}  // namespace lectern::nn
