#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tensor/einsum_parse.h"
#include "tensor/tensor.h"
#include "tensor/views.h"

namespace lectern {

/// An equation made at random together with what it means, so that a test needs no parser: letters
/// by number, and the axes of the ellipsis behind them.
struct RandomEinsum {
  std::string equation;
  std::vector<Labels> operands;  ///< label of each axis
  std::vector<Shape> shapes;
  Labels output;
  std::vector<std::int64_t> extents;  ///< of each label
};

/// How often each thing that an einsum can do occurred.
using EinsumFeatures = std::map<std::string, int>;

/// Makes equations with up to four operands that repeat and broadcast letters, with and without
/// ellipsis and arrow, blanks anywhere; counts what is in them.
class EinsumGenerator {
 public:
  explicit EinsumGenerator(unsigned seed) : bits_(seed) {}

  RandomEinsum next() {
    RandomEinsum e;
    letters_ = pick(1, 5);
    const int ellipsis = chance(30) ? pick(0, 2) : -1;  // -1: the equation has none
    for (int label = 0; label < letters_ + std::max(ellipsis, 0); ++label) {
      e.extents.push_back(chance(5) ? 0 : pick(1, 3));
    }
    longest_.assign(e.extents.size(), 1);
    ellipsis_rank_ = 0;
    const int operands = pick(1, 4);
    for (int i = 0; i < operands; ++i) add_operand(e, ellipsis);
    e.extents = longest_;  // a letter of extent 1 wherever it occurs has extent 1
    add_output(e, ellipsis >= 0);
    count(e);
    return e;
  }

  /// Normal numbers in f64, half the time as a view: transposed, every second element, or repeated
  /// along the first axis.
  Tensor operand(const Shape& shape) {
    if (shape.rank() == 0 || chance(50)) return normal(shape);
    Shape stored = shape;
    switch (pick(0, 2)) {
      case 0:
        count_if(shape.rank() > 1 && shape[0] > 1 && shape[-1] > 1, "transposed operand");
        std::swap(stored[0], stored[-1]);
        return transpose(normal(stored), 0, -1);
      case 1:
        count_if(shape[-1] > 1, "operand of every second element");
        stored[-1] *= 2;
        return slice(normal(stored), -1, 1, kEnd, 2);
      default:
        count_if(shape[0] > 1, "operand with a stride of zero");
        stored[0] = 1;
        return expand(normal(stored), shape);
    }
  }

  const EinsumFeatures& features() const { return features_; }

 private:
  void count_if(bool has, const std::string& feature) { features_[feature] += has ? 1 : 0; }

  void count(const RandomEinsum& e) {
    const std::size_t arrow = e.equation.find("->"), ellipsis = e.equation.find("...");
    const bool has_ellipsis = ellipsis < arrow;
    bool repeats = false, broadcasts = false, empty = false, scalar = false;
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      scalar = scalar || e.operands[i].empty();
      for (std::size_t axis = 0; axis < e.operands[i].size(); ++axis) {
        const int label = e.operands[i][axis];
        const std::int64_t extent = e.shapes[i][static_cast<int>(axis)];
        repeats = repeats || (extent > 1 && std::ranges::count(e.operands[i], label) > 1);
        broadcasts = broadcasts || extent != e.extents[static_cast<std::size_t>(label)];
        empty = empty || extent == 0;
      }
    }
    count_if(true, fmt::format("{} operands", e.operands.size()));
    count_if(has_ellipsis, "ellipsis");
    count_if(has_ellipsis && ellipsis_rank_ == 0, "ellipsis of no axes");
    count_if(has_ellipsis && ellipsis_rank_ > 1, "ellipsis of two axes");
    count_if(ellipsis_rank_ > 0 && arrow != std::string::npos &&
                 e.equation.find("...", arrow) == std::string::npos,
             "ellipsis summed");
    count_if(arrow == std::string::npos, "no arrow");
    count_if(e.equation.find(' ') != std::string::npos, "blanks");
    count_if(e.equation.find('B') < arrow && e.equation.find('b') < arrow, "b and B");
    count_if(repeats, "diagonal");
    count_if(broadcasts, "extent 1 against another");
    count_if(empty, "extent 0");
    count_if(scalar, "scalar operand");
    count_if(e.output.empty(), "scalar result");
  }

  Tensor normal(const Shape& shape) {
    Tensor x = Tensor::empty(shape, DType::f64);
    std::normal_distribution<double> draw;
    for (double& value : x.mutable_data<double>()) value = draw(bits_);
    return x;
  }

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(bits_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  const char* blanks() { return chance(10) ? " " : ""; }
  static char letter(int label) { return "BabXc"[label]; }

  void add_operand(RandomEinsum& e, int ellipsis) {
    std::string term;
    Labels labels;
    Shape shape;
    const auto add = [&](int label) {
      const auto index = static_cast<std::size_t>(label);
      const auto before = std::ranges::find(labels, label);
      const std::int64_t extent = before != labels.end()
                                      ? shape[static_cast<int>(before - labels.begin())]
                                  : chance(12) ? 1
                                               : e.extents[index];
      labels.push_back(label);
      shape.push_back(extent);
      if (extent != 1) longest_[index] = extent;
    };
    const int rank = pick(0, 4);
    const int place = ellipsis >= 0 && chance(75) ? pick(0, rank) : -1;
    for (int axis = 0; axis <= rank; ++axis) {
      if (axis == place) {
        const int axes = pick(0, ellipsis);
        ellipsis_rank_ = std::max(ellipsis_rank_, axes);
        for (int i = ellipsis - axes; i < ellipsis; ++i) add(letters_ + i);
        term += "...";
        term += blanks();
      }
      if (axis == rank) break;
      const int label = pick(0, letters_ - 1);
      add(label);
      term += letter(label);
      term += blanks();
    }
    if (!e.operands.empty()) e.equation += ',';
    e.equation += blanks();
    e.equation += term;
    e.operands.push_back(labels);
    e.shapes.push_back(shape);
  }

  void add_output(RandomEinsum& e, bool has_ellipsis) {
    Labels ellipsis_axes, once, present;
    const int all = static_cast<int>(e.extents.size());
    for (int label = all - ellipsis_rank_; label < all; ++label) ellipsis_axes.push_back(label);
    for (const int label : {0, 3, 1, 2, 4}) {  // B X a b c, in code-point order
      if (label >= letters_) continue;
      std::ptrdiff_t uses = 0;
      for (const Labels& labels : e.operands) uses += std::ranges::count(labels, label);
      if (uses == 1) once.push_back(label);
      if (uses > 0) present.push_back(label);
    }
    const auto append = [&](const Labels& labels) {
      e.output.insert(e.output.end(), labels.begin(), labels.end());
    };
    if (chance(30)) {  // no arrow
      append(ellipsis_axes);
      append(once);
      return;
    }
    std::ranges::shuffle(present, bits_);
    present.resize(static_cast<std::size_t>(pick(0, static_cast<int>(present.size()))));
    e.equation += "->";
    const int place = has_ellipsis && chance(75) ? pick(0, static_cast<int>(present.size())) : -1;
    for (int i = 0; i <= static_cast<int>(present.size()); ++i) {
      if (i == place) {
        append(ellipsis_axes);
        e.equation += "...";
      }
      if (i == static_cast<int>(present.size())) break;
      append({present[static_cast<std::size_t>(i)]});
      e.equation += letter(present[static_cast<std::size_t>(i)]);
      e.equation += blanks();
    }
  }

  std::mt19937 bits_;
  EinsumFeatures features_;
  int letters_ = 0, ellipsis_rank_ = 0;
  std::vector<std::int64_t> longest_;
};

/// Calls visit(index) for every combination of the letters' values.
template <class Visit>
void for_each_index(const RandomEinsum& e, const Visit& visit) {
  if (std::ranges::find(e.extents, 0) != e.extents.end()) return;
  std::vector<std::int64_t> index(e.extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t label = index.size();
    while (label > 0 && ++index[label - 1] == e.extents[label - 1]) index[--label] = 0;
    if (label == 0) return;
  }
}

/// Place of the element that an operand with these labels has at `index`.
inline std::int64_t place_of(const Tensor& x, const Labels& labels,
                             const std::vector<std::int64_t>& index) {
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    const int a = static_cast<int>(axis);
    if (x.shape()[a] != 1) place += index[static_cast<std::size_t>(labels[axis])] * x.strides()[a];
  }
  return place;
}

inline Tensor empty_output(const RandomEinsum& e) {
  Shape shape;
  for (const int label : e.output) shape.push_back(e.extents[static_cast<std::size_t>(label)]);
  return Tensor::zeros(shape, DType::f64);
}

/// The result by the definition: one loop for each letter.
inline Tensor naive_einsum(const RandomEinsum& e, const std::vector<Tensor>& operands) {
  Tensor y = empty_output(e);
  for_each_index(e, [&](const std::vector<std::int64_t>& index) {
    double product = 1;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      product *= operands[i].origin<double>()[place_of(operands[i], e.operands[i], index)];
    }
    y.mutable_origin<double>()[place_of(y, e.output, index)] += product;
  });
  return y;
}

/// The gradient of one operand by the definition, given that of the result.
inline Tensor naive_gradient(const RandomEinsum& e, const std::vector<Tensor>& operands,
                             const Tensor& g, std::size_t which) {
  Tensor dx = Tensor::zeros(e.shapes[which], DType::f64);
  for_each_index(e, [&](const std::vector<std::int64_t>& index) {
    double product = g.origin<double>()[place_of(g, e.output, index)];
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i == which) continue;
      product *= operands[i].origin<double>()[place_of(operands[i], e.operands[i], index)];
    }
    dx.mutable_origin<double>()[place_of(dx, e.operands[which], index)] += product;
  });
  return dx;
}

}  // namespace lectern
