#include "tensor/matmul.h"

#include <array>
#include <vector>

#include "tensor/kernels/gemm.h"
#include "tensor/threads.h"
#include "tensor/views.h"

namespace lectern {
namespace {

// Operands are brought into one form, [batch…, m, k] and [batch…, k, n], by views alone: a 1-d
// operand gets its missing axis, a broadcast one steps of 0. Each batch axis then goes one of
// three ways:
//
//   summed    `out` has it not (a gradient): it becomes part of k
//   row       b does not have it, and its steps continue those of the rows of a and out
//   repeated  the kernel runs the product once for each of its entries

/// a [batch…, m, k] and b [batch…, k, n], with the same batch.
struct Operands {
  Tensor a, b;
};

Shape batch_of(const Shape& matrices) {
  return Shape(matrices.span().first(static_cast<std::size_t>(matrices.rank() - 2)));
}

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

void require_floating_pair(std::string_view op, const Tensor& a, const Tensor& b) {
  require_same_dtype(op, a, b);
  require_floating(op, a.dtype(), "a");
}

/// The operands with the batch they broadcast to; a and b have rank >= 2.
Operands with_common_batch(const Tensor& a, const Tensor& b) {
  Shape batch = batch_of(a.rank() >= b.rank() ? a.shape() : b.shape());
  const int shared = std::min(a.rank(), b.rank());
  for (int axis = -3; axis >= -shared; --axis) {
    const std::int64_t in_a = a.shape()[axis], in_b = b.shape()[axis];
    require<ShapeError>(in_a == in_b || in_a == 1 || in_b == 1,
                        "matmul: batch axes do not broadcast: a is {}, b is {}; axis {} has {} "
                        "and {}",
                        a.shape(), b.shape(), axis, in_a, in_b);
    batch[axis + 2] = in_a == 1 ? in_b : in_a;
  }
  return {expand(a, with_matrix(batch, a.shape()[-2], a.shape()[-1])),
          expand(b, with_matrix(batch, b.shape()[-2], b.shape()[-1]))};
}

template <std::floating_point T>
kernels::MatrixView<const T> matrix(const Tensor& x) {
  return {x.origin<T>(), x.strides()[-2], x.strides()[-1]};
}

/// What happens to a product before it is written.
struct Epilogue {
  Tensor bias = {};         ///< added to every row, if defined; dense
  bool accumulate = false;  ///< adds what `out` holds
  bool relu = false;        ///< then sets to 0 what is negative
};

/// out = a b, and the epilogue; out [batch…, m, n] has the operands' batch.
template <std::floating_point T>
void run(const Operands& operands, Tensor out, const Epilogue& epilogue) {
  const auto& [a, b] = operands;
  const Strides& step = out.strides();
  kernels::Gemm<T> g{.m = out.shape()[-2],
                     .n = out.shape()[-1],
                     .k = a.shape()[-1],
                     .a = matrix<T>(a),
                     .b = matrix<T>(b),
                     .c = {out.mutable_origin<T>(), step[-2], step[-1]},
                     .bias = epilogue.bias.defined() ? epilogue.bias.origin<T>() : nullptr,
                     .accumulate = epilogue.accumulate,
                     .relu = epilogue.relu};
  std::array<kernels::BatchAxis, kMaxRank> repeated;
  std::size_t first = repeated.size();  // filled from the back: inner axes are looked at first
  for (int axis = out.rank() - 3; axis >= 0; --axis) {
    const kernels::BatchAxis along{out.shape()[axis], a.strides()[axis], b.strides()[axis],
                                   step[axis]};
    if (along.extent == 1) continue;
    const bool continues_rows =
        along.a_stride == g.m * g.a.row_stride && along.c_stride == g.m * g.c.row_stride;
    if (along.b_stride == 0 && (g.m == 1 || continues_rows)) {
      if (g.m == 1) g.a.row_stride = along.a_stride, g.c.row_stride = along.c_stride;
      g.m *= along.extent;
    } else {
      repeated[--first] = along;
    }
  }
  g.batch = std::span(repeated).subspan(first);
  Storage scratch(kernels::gemm_scratch_bytes(g, num_threads()));
  kernels::gemm(g, scratch.mutable_data(), num_threads());
}

void run(const Operands& operands, const Tensor& out, const Epilogue& epilogue) {
  if (out.numel() == 0) return;
  visit_floating("matmul", out.dtype(), [&]<class T>() { run<T>(operands, out, epilogue); });
}

/// The operands with the batch axes that `out` has once and they have more often made part of k.
/// Which axes these are, and so the order of the sum, follows from the shapes alone; strides only
/// decide whether that takes a copy.
Operands with_batch_summed(const Operands& operands, const Shape& out) {
  const auto& [a, b] = operands;
  const int rank = a.rank(), row = rank - 2, column = rank - 1;
  Axes a_order, b_order, summed;
  Shape a_shape, b_shape;
  std::int64_t k = a.shape()[-1];
  for (int axis = 0; axis < row; ++axis) {
    const std::int64_t extent = a.shape()[axis];
    if (out[axis] != extent) {
      summed.push_back(axis);
      k *= extent;
    } else {
      for (Axes* order : {&a_order, &b_order}) order->push_back(axis);
      for (Shape* shape : {&a_shape, &b_shape}) shape->push_back(extent);
    }
  }
  if (summed.empty()) return operands;
  a_order.push_back(row);  // [kept…, m, summed…, k]
  for (const std::int64_t axis : summed) {
    a_order.push_back(axis);
    b_order.push_back(axis);
  }
  a_order.push_back(column);
  b_order.push_back(row);  // [kept…, summed…, k, n]
  b_order.push_back(column);
  return {reshape(permute(a, a_order), with_matrix(a_shape, a.shape()[row], k)),
          reshape(permute(b, b_order), with_matrix(b_shape, k, b.shape()[column]))};
}

/// out with leading axes of extent 1 up to `rank`, and without the axes that it has once where the
/// product `full` has more.
Tensor without_summed(const Tensor& out, const Shape& full) {
  Shape shape;
  Strides strides;
  const int missing = full.rank() - out.rank();
  for (int axis = missing; axis < full.rank(); ++axis) {
    if (out.shape()[axis - missing] != full[axis]) continue;
    shape.push_back(full[axis]);
    strides.push_back(out.strides()[axis - missing]);
  }
  return out.with_layout(shape, strides, out.offset());
}

/// y = x Wᵀ (+ b), with relu if asked for, as `op`.
Tensor affine_map(std::string_view op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  bool relu) {
  require<DTypeError>(x.dtype() == weight.dtype() && is_floating(x.dtype()),
                      "{}: x is {}, weight is {}; both must be f32 or both f64", op, x.dtype(),
                      weight.dtype());
  require<ShapeError>(weight.rank() == 2, "{}: weight is {}; it must be [out, in]", op,
                      weight.shape());
  require<ShapeError>(x.rank() > 0 && x.shape()[-1] == weight.shape()[1],
                      "{}: x is {}, weight is {}; x.shape[-1] must equal weight.shape[1] = {}", op,
                      x.shape(), weight.shape(), weight.shape()[1]);
  if (bias.defined()) {
    require<ShapeError>(bias.shape() == Shape({weight.shape()[0]}),
                        "{}: bias is {}, weight is {}; bias must be [{}]", op, bias.shape(),
                        weight.shape(), weight.shape()[0]);
    require<DTypeError>(bias.dtype() == x.dtype(), "{}: bias is {}, x is {}; they must agree", op,
                        bias.dtype(), x.dtype());
  }
  const Operands operands =
      with_common_batch(x.rank() == 1 ? unsqueeze(x, 0) : x, transpose(weight, 0, 1));
  Shape shape = x.shape();
  shape[-1] = weight.shape()[0];
  Tensor y = Tensor::empty(shape, x.dtype());
  run(operands, x.rank() == 1 ? unsqueeze(y, 0) : y,
      {.bias = bias.defined() ? bias.contiguous() : bias, .relu = relu});
  return y;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  require_floating_pair("matmul", a, b);
  require<ShapeError>(a.rank() > 0 && b.rank() > 0,
                      "matmul: an operand is a scalar: a is {}, b is {}; each needs an axis to sum "
                      "over; use * to scale",
                      a.shape(), b.shape());
  const int inner = b.rank() == 1 ? -1 : -2;
  require<ShapeError>(a.shape()[-1] == b.shape()[inner],
                      "matmul: inner dimensions differ: a is {}, b is {}; a.shape[-1] = {} must "
                      "equal b.shape[{}] = {}",
                      a.shape(), b.shape(), a.shape()[-1], inner, b.shape()[inner]);
  const Tensor rows = a.rank() == 1 ? unsqueeze(a, 0) : a;     // [..., m, k]
  const Tensor columns = b.rank() == 1 ? unsqueeze(b, 1) : b;  // [..., k, n]
  const Operands operands = with_common_batch(rows, columns);
  Shape shape = batch_of(operands.a.shape());
  shape = with_matrix(shape, rows.shape()[-2], columns.shape()[-1]);
  Tensor out = Tensor::empty(shape, a.dtype());  // [..., m, n]
  run(operands, out, {});
  if (b.rank() == 1) shape.erase(shape.rank() - 1);
  if (a.rank() == 1) shape.erase(shape.rank() - (b.rank() == 1 ? 1 : 2));
  return reshape(out, shape);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return affine_map("linear", x, weight, bias, /*relu=*/false);
}

Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return affine_map("linear_relu", x, weight, bias, /*relu=*/true);
}

void matmul_into(Tensor out, const Tensor& a, const Tensor& b, bool accumulate) {
  require_floating_pair("matmul_into", a, b);
  require<DTypeError>(out.dtype() == a.dtype(), "matmul_into: out is {}, a is {}; they must agree",
                      out.dtype(), a.dtype());
  require<ShapeError>(
      out.rank() >= 2 && a.rank() >= 2 && b.rank() >= 2 && a.shape()[-1] == b.shape()[-2],
      "matmul_into: no product of matrices: a is {}, b is {}, out is {}", a.shape(), b.shape(),
      out.shape());
  const Operands operands = with_common_batch(a, b);
  const Shape full = with_matrix(batch_of(operands.a.shape()), a.shape()[-2], b.shape()[-1]);
  bool fits =
      out.rank() <= full.rank() && out.shape()[-2] == full[-2] && out.shape()[-1] == full[-1];
  for (int axis = -3; fits && axis >= -out.rank(); --axis) {
    fits = out.shape()[axis] == full[axis] || out.shape()[axis] == 1;
  }
  require<ShapeError>(fits, "matmul_into: out is {}, the product of {} and {} is {}", out.shape(),
                      a.shape(), b.shape(), full);
  Shape padded = out.shape();
  while (padded.rank() < full.rank()) padded.insert(0, 1);
  run(with_batch_summed(operands, padded), without_summed(out, full), {.accumulate = accumulate});
}

}  // namespace lectern
