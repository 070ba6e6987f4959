#include "nn/key_value_cache.h"

#include "autograd/variable.h"
#include "tensor/indexing.h"
#include "tensor/views.h"

namespace lectern::nn {

KeyValueCache::KeyValueCache(std::int64_t batch, std::int64_t heads, std::int64_t capacity,
                             std::int64_t head_width, DType dtype)
    : keys_(Tensor::empty({batch, heads, capacity, head_width}, dtype)),
      values_(Tensor::empty({batch, heads, capacity, head_width}, dtype)) {}

KeyValueCache::KeysAndValues KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  require<GradError>(!is_recording(), "KeyValueCache: append while recording; decode under NoGrad");
  const Shape& room = keys_.shape();
  require<ShapeError>(keys.rank() == 4 && keys.shape()[0] == room[0] &&
                          keys.shape()[1] == room[1] && keys.shape()[3] == room[3] &&
                          keys.shape() == values.shape(),
                      "KeyValueCache: keys is {}, values is {}; both must be [{}, {}, T, {}]",
                      keys.shape(), values.shape(), room[0], room[1], room[3]);
  const std::int64_t added = keys.shape()[2];
  require<ShapeError>(length_ + added <= capacity(),
                      "KeyValueCache: {} positions and {} new ones do not fit into {}", length_,
                      added, capacity());
  slice(keys_, 2, length_, length_ + added).copy_from(keys);
  slice(values_, 2, length_, length_ + added).copy_from(values);
  length_ += added;
  return {slice(keys_, 2, 0, length_), slice(values_, 2, 0, length_)};
}

void KeyValueCache::select(const Tensor& rows) {
  keys_ = index_select(keys_, 0, rows);
  values_ = index_select(values_, 0, rows);
}

}  // namespace lectern::nn
