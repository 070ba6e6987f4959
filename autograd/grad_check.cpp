#include "autograd/grad_check.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace lectern {
namespace {

constexpr int kCotangents = 2;

/// Numbers of one sign-free size, in [0.5, 1.5) or (−1.5, −0.5], so that no output goes unseen.
std::vector<double> random_cotangent(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> numbers(static_cast<std::size_t>(size));
  for (double& number : numbers) {
    const std::uint64_t draw = bits();
    number = 0.5 + static_cast<double>(draw >> 11) * 0x1p-53;
    if (draw & 1) number = -number;
  }
  return numbers;
}

/// A copy with the strides of x, so that ops are tried on the layout they were given; dense if
/// elements of x overlap.
Tensor copy_with_strides(const Tensor& x) {
  std::int64_t last = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::int64_t extent = x.shape()[axis];
    if (extent == 0 || (extent > 1 && x.strides()[axis] <= 0)) return x.clone();
    last += (extent - 1) * x.strides()[axis];
  }
  Tensor copy = Tensor::zeros({last + 1}, x.dtype()).with_layout(x.shape(), x.strides(), 0);
  copy.copy_from(x);
  return copy;
}

std::vector<double> elements(const Tensor& x) {
  const Tensor dense = x.contiguous();
  const auto values = dense.data<double>();
  return {values.begin(), values.end()};
}

/// Element number `i` in row-major order, as index and as place in the storage.
struct Element {
  Element(std::int64_t i, const Tensor& x) : index(x.shape()) {
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      index[axis] = i % x.shape()[axis];
      offset += index[axis] * x.strides()[axis];
      i /= x.shape()[axis];
    }
  }
  Shape index;
  std::int64_t offset = 0;
};

/// d(output)/d(input) for one input, by central differences.
struct Jacobian {
  std::vector<std::vector<double>> columns;  ///< [input element][output element]
  std::vector<double> steps;                 ///< h of each input element
};

Jacobian central_differences(const std::function<std::vector<double>()>& f, Tensor& x,
                             double relative_step) {
  Jacobian jacobian;
  for (std::int64_t e = 0; e < x.numel(); ++e) {
    const std::int64_t at = Element(e, x).offset;
    const double centre = x.origin<double>()[at];
    const double h = relative_step * std::max(1.0, std::abs(centre));
    x.mutable_origin<double>()[at] = centre + h;
    const std::vector<double> above = f();
    x.mutable_origin<double>()[at] = centre - h;
    const std::vector<double> below = f();
    x.mutable_origin<double>()[at] = centre;
    std::vector<double> column(above.size());
    for (std::size_t k = 0; k < column.size(); ++k) column[k] = (above[k] - below[k]) / (2 * h);
    jacobian.columns.push_back(std::move(column));
    jacobian.steps.push_back(h);
  }
  return jacobian;
}

/// One input's gradients against all cotangents: what backward gives and what is right.
struct Comparison {
  using Gradients = std::vector<std::vector<double>>;  // [cotangent][element]

  Shape shape;         ///< of the input
  Shape output_shape;  ///< of f
  Jacobian jacobian;
  std::vector<std::vector<double>> cotangents;
  Gradients backward, right, tolerance;

  /// Whether backward agrees everywhere with `claim`(cotangent, element).
  template <class Claim>
  bool agrees(const Claim& claim) const {
    for (std::size_t c = 0; c < kCotangents; ++c) {
      for (std::size_t e = 0; e < right[c].size(); ++e) {
        const double wanted = claim(c, e);
        const double allowed = 10 * tolerance[c][e] + 1e-5 * std::abs(wanted);
        if (!(std::abs(backward[c][e] - wanted) <= allowed)) return false;  // also catches NaN
      }
    }
    return true;
  }
};

/// The factor by which all gradients are off, taken where it is most exact.
double common_factor(const Comparison& found) {
  double largest = 0, factor = 0;
  for (std::size_t c = 0; c < kCotangents; ++c) {
    for (std::size_t e = 0; e < found.right[c].size(); ++e) {
      if (std::abs(found.right[c][e]) <= largest) continue;
      largest = std::abs(found.right[c][e]);
      factor = found.backward[c][e] / found.right[c][e];
    }
  }
  return factor;
}

/// Row-major number of element `e` of `shape` after axes p and q of the index changed places.
std::size_t exchanged(std::size_t e, const Shape& shape, int p, int q) {
  Shape index = shape;
  auto rest = static_cast<std::int64_t>(e);
  Shape from = shape;  // e counts in the exchanged order
  std::swap(from[p], from[q]);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = rest % from[axis];
    rest /= from[axis];
  }
  std::swap(index[p], index[q]);
  std::int64_t number = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) number = number * shape[axis] + index[axis];
  return static_cast<std::size_t>(number);
}

std::optional<std::string> name_transposed(const Comparison& found) {
  for (int p = 0; p < found.shape.rank(); ++p) {
    for (int q = p + 1; q < found.shape.rank(); ++q) {
      if (found.agrees([&](std::size_t c, std::size_t e) {
            return found.right[c][exchanged(e, found.shape, p, q)];
          })) {
        return fmt::format("transposed: axes {} and {} of the gradient are exchanged", p, q);
      }
    }
  }
  return std::nullopt;
}

/// Whether only the outputs at one place of an axis were counted, where all of them add up.
std::optional<std::string> name_missing_sum(const Comparison& found) {
  const Shape& shape = found.output_shape;
  std::int64_t inner = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    for (std::int64_t place = 0; place < shape[axis]; ++place) {
      const auto partial = [&](std::size_t c, std::size_t e) {
        double sum = 0;
        for (std::size_t k = 0; k < found.cotangents[c].size(); ++k) {
          if (static_cast<std::int64_t>(k) / inner % shape[axis] != place) continue;
          sum += found.cotangents[c][k] * found.jacobian.columns[e][k];
        }
        return sum;
      };
      if (found.agrees(partial)) {
        return fmt::format(
            "a sum over an axis is missing: only place {} of axis {} of the result is counted",
            place, axis);
      }
    }
    inner *= shape[axis];
  }
  return std::nullopt;
}

std::string likeliest_fault(const Comparison& found) {
  if (found.agrees([](auto, auto) { return 0.0; })) return "no gradient arrives: all are 0";
  const double factor = common_factor(found);
  if (found.agrees([&](auto c, auto e) { return factor * found.right[c][e]; })) {
    if (std::abs(factor + 1) < 1e-4) return "the sign: all gradients are negated";
    return fmt::format("a factor: all gradients are {:.4g} times the right ones", factor);
  }
  if (const auto transposed = name_transposed(found)) return *transposed;
  if (const auto missing = name_missing_sum(found)) return *missing;
  return "none of the usual ones (zero, sign, factor, transposed, missing sum)";
}

/// Empty if all is right, else the report.
std::string report(const Comparison& found, std::size_t input) {
  std::size_t wrong = 0, total = 0;
  std::string first;
  for (std::size_t c = 0; c < kCotangents; ++c) {
    for (std::size_t e = 0; e < found.right[c].size(); ++e) {
      const double got = found.backward[c][e], want = found.right[c][e];
      ++total;
      if (std::abs(got - want) <= found.tolerance[c][e]) continue;  // false for NaN
      if (wrong++ > 0) continue;
      const Tensor dense = Tensor::empty(found.shape, DType::f64);
      first = fmt::format(
          "input {} element {} of shape {}: backward gives {:.10g}, central differences {:.10g}",
          input, Element(static_cast<std::int64_t>(e), dense).index, found.shape, got, want);
    }
  }
  if (wrong == 0) return "";
  return fmt::format("{}; {} of {} comparisons differ; likeliest fault: {}", first, wrong, total,
                     likeliest_fault(found));
}

class Checker {
 public:
  Checker(const DifferentiableFunction& f, std::span<const Tensor> at, GradCheckOptions options)
      : f_(f), options_(options) {
    for (std::size_t n = 0; n < at.size(); ++n) {
      require<DTypeError>(at[n].dtype() == DType::f64,
                          "check_gradients: input {} is {}; it must be f64", n, at[n].dtype());
      values_.push_back(copy_with_strides(at[n]));
    }
  }

  GradCheck run() {
    try {
      run_backward();
    } catch (const GradError& error) {  // a gradient of the wrong shape, say
      return {false, error.what()};
    }
    for (std::size_t n = 0; n < values_.size(); ++n) {
      const std::string text = report(compare(n), n);
      if (!text.empty()) return {false, text};
    }
    return {};
  }

 private:
  /// Fills output_, cotangents_ and gradients_.
  void run_backward() {
    for (int c = 0; c < kCotangents; ++c) {
      std::vector<Variable> x;
      for (const Tensor& value : values_) x.emplace_back(value, /*requires_grad=*/true);
      const Variable y = f_(x);
      require<DTypeError>(y.dtype() == DType::f64,
                          "check_gradients: the result is {}; it must be f64", y.dtype());
      output_ = y.value();
      cotangents_.push_back(random_cotangent(y.value().numel(), 7 + static_cast<unsigned>(c)));
      backward(y, Tensor::from(cotangents_.back(), y.shape()));
      for (std::size_t n = 0; n < x.size(); ++n) {
        gradients_.push_back(
            elements(x[n].has_grad() ? x[n].grad() : Tensor::zeros_like(values_[n])));
      }
    }
  }

  Comparison compare(std::size_t n) {
    const auto evaluate = [&] {
      const NoGrad guard;
      std::vector<Variable> x;
      for (const Tensor& value : values_) x.emplace_back(value);
      return elements(f_(x).value());
    };
    Comparison found{values_[n].shape(), output_.shape(), {}, cotangents_, {}, {}, {}};
    found.jacobian = central_differences(evaluate, values_[n], options_.step);
    const std::vector<double> y = elements(output_);
    for (std::size_t c = 0; c < kCotangents; ++c) {
      double magnitude = 0;  // of what the differences subtract
      for (std::size_t k = 0; k < y.size(); ++k) magnitude += std::abs(cotangents_[c][k] * y[k]);
      found.backward.push_back(gradients_[c * values_.size() + n]);
      std::vector<double> right, tolerance;
      for (std::size_t e = 0; e < found.jacobian.columns.size(); ++e) {
        double sum = 0;
        for (std::size_t k = 0; k < y.size(); ++k) {
          sum += cotangents_[c][k] * found.jacobian.columns[e][k];
        }
        const double rounding =
            4 * std::numeric_limits<double>::epsilon() * magnitude / found.jacobian.steps[e];
        right.push_back(sum);
        tolerance.push_back(options_.atol + options_.rtol * std::abs(sum) + rounding);
      }
      found.right.push_back(std::move(right));
      found.tolerance.push_back(std::move(tolerance));
    }
    return found;
  }

  const DifferentiableFunction& f_;
  GradCheckOptions options_;
  std::vector<Tensor> values_;
  Tensor output_;
  std::vector<std::vector<double>> cotangents_;
  std::vector<std::vector<double>> gradients_;  ///< [cotangent · inputs + input]
};

}  // namespace

GradCheck check_gradients(const DifferentiableFunction& f, std::span<const Tensor> inputs,
                          GradCheckOptions options) {
  return Checker(f, inputs, options).run();
}

}  // namespace lectern
