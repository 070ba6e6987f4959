#include "nn/attention_audit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "nn/position_influence.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/pointwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace lectern::nn {
namespace {

constexpr std::string_view kOp = "attention_audit";

Mask declared(const AttentionAuditOptions& options) {
  return options.mask & Mask{.causal = options.causal};
}

/// bool [B, H, T, T]: which positions the mask shows to each head. Refuses one that does not fit.
Tensor shown_to_heads(const Mask& mask, const Shape& x) {
  const bool by_head = mask.allowed.defined() && mask.allowed.rank() == 4;
  const std::int64_t heads = by_head ? mask.allowed.shape()[1] : 1;
  return dense(kOp, mask, {x[0], heads, x[1], x[1]});
}

/// bool [B, T, T]: which positions the mask shows to at least one head.
Tensor shown(const Mask& mask, const Shape& x) { return any(shown_to_heads(mask, x), 1); }

/// What was found, against what was declared.
class Judgement {
 public:
  Judgement(const PositionInfluence& change, const PositionInfluence* gradient, double tolerance,
            const Mask& mask, const Shape& x)
      : change_(change), gradient_(gradient), tolerance_(tolerance), mask_(mask), x_(x) {}

  AttentionAudit run() {
    fill_tables();
    check_mixing();
    check_hidden(AttentionFault::looks_at_future, {.causal = mask_.causal});
    check_hidden(AttentionFault::sees_padding, {.key_lengths = mask_.key_lengths});
    check_hidden(AttentionFault::ignores_mask, {.allowed = mask_.allowed});
    check_neighbours();
    if (gradient_ != nullptr) check_gradient();
    return audit_;
  }

 private:
  bool reaches(std::int64_t to, std::int64_t from) const {
    return change_(to, from) > tolerance_ ||
           (gradient_ != nullptr && (*gradient_)(to, from) > tolerance_);
  }
  std::int64_t sample(std::int64_t number) const { return number / x_[1]; }
  std::int64_t position(std::int64_t number) const { return number % x_[1]; }
  std::string place(std::int64_t number) const {
    return fmt::format("position {} of sample {}", position(number), sample(number));
  }

  struct Pairs {
    std::int64_t count = 0, to = 0, from = 0;  ///< how many there are, and the first
  };
  template <class Condition>
  Pairs pairs_where(const Condition& holds) const {
    Pairs pairs;
    for (std::int64_t to = 0; to < x_[0] * x_[1]; ++to) {
      for (std::int64_t from = 0; from < x_[0] * x_[1]; ++from) {
        if (!holds(to, from)) continue;
        if (pairs.count++ == 0) pairs = {1, to, from};
      }
    }
    return pairs;
  }

  void add(AttentionFault fault, const std::string& what, const Pairs& pairs) {
    const std::string more =
        pairs.count > 1 ? fmt::format(" (the first of {} such pairs)", pairs.count) : "";
    audit_.violations.push_back({fault, fmt::format("{}: {}{}", name(fault), what, more)});
  }

  void fill_tables() {
    audit_.may_reach = logical_or(shown(mask_, x_), Tensor::eye(x_[1], DType::boolean));
    audit_.reaches = Tensor::zeros({x_[0], x_[1], x_[1]}, DType::boolean);
    audit_.samples = Tensor::zeros({x_[0], x_[0]}, DType::boolean);
    bool* const within = audit_.reaches.mutable_origin<bool>();
    bool* const samples = audit_.samples.mutable_origin<bool>();
    for (std::int64_t to = 0; to < x_[0] * x_[1]; ++to) {
      for (std::int64_t from = 0; from < x_[0] * x_[1]; ++from) {
        if (!reaches(to, from)) continue;
        samples[sample(to) * x_[0] + sample(from)] = true;
        if (sample(to) == sample(from)) within[to * x_[1] + position(from)] = true;
      }
    }
  }

  void check_mixing() {
    const Tensor others = logical_not(Tensor::eye(x_[1], DType::boolean));  // [T, T]
    const bool may_mix = any(logical_and(audit_.may_reach, others)).item() != 0;
    const bool mixes = any(logical_and(audit_.reaches, others)).item() != 0;
    if (!may_mix || mixes) return;
    add(AttentionFault::mixes_no_positions,
        fmt::format("none of the positions 0..{} reaches another one", x_[1] - 1), {});
  }

  /// Positions that reach others although this part of the mask hides them.
  void check_hidden(AttentionFault fault, const Mask& part) {
    const Tensor seen = shown(part, x_);  // [B, T, T]
    const Pairs pairs = pairs_where([&](std::int64_t to, std::int64_t from) {
      return to != from && sample(to) == sample(from) && reaches(to, from) &&
             !seen.origin<bool>()[to * x_[1] + position(from)];
    });
    if (pairs.count == 0) return;
    std::string what = place(pairs.from);
    if (fault == AttentionFault::sees_padding) {
      what += fmt::format(", whose key length is {:.0f},",
                          select(part.key_lengths, 0, sample(pairs.from)).item());
    }
    what += fmt::format(" reaches position {}", position(pairs.to));
    if (fault == AttentionFault::ignores_mask) what += ", from which the mask hides it";
    add(fault, what, pairs);
  }

  void check_neighbours() {
    const Pairs pairs = pairs_where([&](std::int64_t to, std::int64_t from) {
      return sample(to) != sample(from) && reaches(to, from);
    });
    if (pairs.count == 0) return;
    add(AttentionFault::depends_on_batch,
        fmt::format("{} reaches {}", place(pairs.from), place(pairs.to)), pairs);
  }

  /// Only what is far above rounding in one way and exactly 0 in the other: a weight of next to
  /// nothing has a gradient, but a change of its value is lost in the sum.
  void check_gradient() {
    const double clear = std::max(1e-3, tolerance_);
    const Pairs pairs = pairs_where([&](std::int64_t to, std::int64_t from) {
      const double change = change_(to, from), gradient = (*gradient_)(to, from);
      return (change > clear && gradient == 0) || (gradient > clear && change == 0);
    });
    if (pairs.count == 0) return;
    const bool lost = (*gradient_)(pairs.to, pairs.from) == 0;
    const std::string_view change = lost ? "changes" : "does not change";
    add(AttentionFault::gradient_differs,
        fmt::format("{} {} with {}, but sends {} gradient to it", place(pairs.to), change,
                    place(pairs.from), lost ? "no" : "a"),
        pairs);
  }

  const PositionInfluence& change_;
  const PositionInfluence* gradient_;  ///< null where there is none
  double tolerance_;
  const Mask& mask_;
  Shape x_;  ///< [B, T, E] or [B, T]
  AttentionAudit audit_;
};

void require_positions(const Tensor& x, std::string_view what, int rank, std::string_view layout) {
  require<ShapeError>(x.rank() == rank, "{}: {} is {}; it must be {}", kOp, what, x.shape(),
                      layout);
  require<ShapeError>(x.numel() > 0, "{}: {} is {}; it must not be empty", kOp, what, x.shape());
  require<ShapeError>(x.shape()[1] >= 2,
                      "{}: {} is {}; T must be at least 2, as one position has nothing to mix with",
                      kOp, what, x.shape());
}

Tensor checked_result(const Tensor& y, const Shape& x) {
  require<ShapeError>(
      y.rank() == 3 && y.shape()[0] == x[0] && y.shape()[1] == x[1] && y.shape()[2] > 0,
      "{}: f changes the positions: x is {}, f(x) is {}; f(x) must be [B, T, any] = [{}, {}, any]",
      kOp, x, y.shape(), x[0], x[1]);
  require_floating(kOp, y.dtype(), "f(x)");
  require_finite(kOp, y, "f(x)");
  return y;
}

Tensor repeatable_result(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const Tensor y = f(x);
  const double difference = max(abs(f(x) - y)).item();
  require<ValueError>(difference == 0,
                      "{}: f gives two results for the same x, up to {:.2g} apart; call eval() on "
                      "its module, so that nothing is dropped",
                      kOp, difference);
  return y;
}

double checked_tolerance(const AttentionAuditOptions& options) {
  require<ValueError>(options.tolerance >= 0 && std::isfinite(options.tolerance),
                      "{}: tolerance is {}; it must be 0 or more", kOp, options.tolerance);
  return options.tolerance;
}

template <class F>
void require_function(const F& f) {
  require<ValueError>(static_cast<bool>(f), "{}: f is empty; it must be a function", kOp);
}

/// f under NoGrad, from tensor to tensor, its result checked. It gets a clone, lest it write to x.
template <class X>
std::function<Tensor(const Tensor&)> plain(const std::function<Variable(const X&)>& f) {
  return [&f](const Tensor& x) {
    const NoGrad guard;
    return checked_result(f(X(x.clone())).value(), x.shape());
  };
}

}  // namespace

AttentionAudit attention_audit(const std::function<Variable(const Variable& x)>& f,
                               const Variable& x, const AttentionAuditOptions& options) {
  require_function(f);
  require_floating(kOp, x.dtype());
  require_positions(x.value(), "x", 3, "[B, T, E]");
  require_finite(kOp, x.value(), "x");
  require<GradError>(is_recording(),
                     "{}: recording is off, but gradients are looked at; call it outside NoGrad",
                     kOp);
  const double tolerance = checked_tolerance(options);
  const Mask mask = declared(options);
  static_cast<void>(shown_to_heads(mask, x.shape()));  // before f is called

  Rng rng(1);
  const double largest = max(abs(x.value())).item();
  const Tensor y = repeatable_result(plain(f), x.value());
  const PositionInfluence change =
      influence_by_change(plain(f), x.value(), y, [&](Tensor& position) {
        const Tensor other = rng.uniform(position.shape(), -1, 1, x.dtype());
        position.copy_from(other * (largest > 0 ? largest : 1));  // overflows for no x
      });
  const PositionInfluence gradient = influence_by_gradient(kOp, f, x.value().clone());
  return Judgement(change, &gradient, tolerance, mask, x.shape()).run();
}

AttentionAudit attention_audit(
    const std::function<Variable(const Variable& x, const Mask& mask)>& f, const Variable& x,
    const AttentionAuditOptions& options) {
  require_function(f);
  const auto with = [&](const Mask& mask) {
    return std::function([&f, mask](const Variable& at) { return f(at, mask); });
  };
  AttentionAudit audit = attention_audit(with(options.mask), x, options);
  if (all(shown_to_heads(options.mask, x.shape())).item() != 0) return audit;

  // Every bit: a key that is hidden may have had next to no weight without the mask, too.
  const Tensor masked = plain(with(options.mask))(x.value());
  const Tensor open = plain(with({}))(x.value());
  if (all(equal(masked, open)).item() != 0) {
    std::erase_if(audit.violations, [](const AttentionViolation& violation) {
      return violation.fault == AttentionFault::ignores_mask;
    });
    audit.violations.push_back(
        {AttentionFault::ignores_mask, fmt::format("{}: the result is the same without one",
                                                   name(AttentionFault::ignores_mask))});
  }
  return audit;
}

AttentionAudit attention_audit(const std::function<Variable(const Tensor& ids)>& f,
                               const Tensor& ids, std::int64_t vocabulary,
                               const AttentionAuditOptions& options) {
  require_function(f);
  require<DTypeError>(ids.dtype() == DType::i64, "{}: ids is {}; it must be i64", kOp, ids.dtype());
  require_positions(ids, "ids", 2, "[B, T]");
  require<ValueError>(vocabulary >= 2, "{}: vocabulary is {}; it must be at least 2", kOp,
                      vocabulary);
  if (const std::optional<Outside> bad = first_outside(ids, vocabulary)) {
    fail<IndexError>("{}: id {} at position {} is outside the vocabulary of {}", kOp, bad->index,
                     bad->position, vocabulary);
  }
  const double tolerance = checked_tolerance(options);
  const Mask mask = declared(options);
  static_cast<void>(shown_to_heads(mask, ids.shape()));  // before f is called

  const Tensor y = repeatable_result(plain(f), ids);
  const PositionInfluence change = influence_by_change(plain(f), ids, y, [&](Tensor& id) {
    id.fill(id.item() + 1 < static_cast<double>(vocabulary) ? id.item() + 1 : 0);
  });
  return Judgement(change, nullptr, tolerance, mask, ids.shape()).run();
}

}  // namespace lectern::nn
