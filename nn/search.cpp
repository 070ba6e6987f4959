#include "nn/search.h"

#include <cmath>
#include <numeric>

#include "autograd/variable.h"
#include "tensor/reduce.h"

namespace lectern::nn {
namespace {

using Ids = std::vector<std::int64_t>;

Tensor column(const Ids& values) {
  return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
}

/// The step's scores in f64, dense, after checking that they belong to `live` rows.
Tensor checked_scores(const NextScores& next_scores, const SearchStep& step) {
  const Tensor scores = next_scores(step);
  const std::int64_t live = step.tokens.shape()[0];
  require<ShapeError>(scores.rank() == 2 && scores.shape()[0] == live && scores.shape()[1] > 0,
                      "greedy_search: the scores are {}; for {} live rows they must be [{}, V]",
                      scores.shape(), live, live);
  require_floating("greedy_search", scores.dtype(), "scores");
  return scores.to(DType::f64).contiguous();
}

}  // namespace

std::vector<Found> greedy_search(const NextScores& next_scores, SearchMarks marks,
                                 std::span<const std::int64_t> max_lengths) {
  const NoGrad guard;
  for (const std::int64_t length : max_lengths) {
    require<ValueError>(length >= 1, "greedy_search: a maximum length is {}; it must be at least 1",
                        length);
  }
  std::vector<Found> found(max_lengths.size());
  Ids alive(found.size());  // the sequence that each live row belongs to
  std::iota(alive.begin(), alive.end(), 0);
  Ids newest(found.size(), marks.begin), rows;
  bool all_went_on = true;
  for (std::int64_t position = 0; !alive.empty(); ++position) {
    const Tensor scores = checked_scores(
        next_scores, {all_went_on ? Tensor() : column(rows), column(newest), position});  // [A, V]
    const Tensor best = argmax(scores, -1);                                               // [A]
    Ids still_alive;
    newest.clear();
    rows.clear();
    for (std::size_t row = 0; row < alive.size(); ++row) {
      const auto sequence = static_cast<std::size_t>(alive[row]);
      const std::int64_t token = best.data<std::int64_t>()[row];
      const double score = scores.data<double>()[row * static_cast<std::size_t>(scores.shape()[1]) +
                                                 static_cast<std::size_t>(token)];
      require<ValueError>(!std::isnan(score), "greedy_search: the score of token {} is NaN", token);
      found[sequence].tokens.push_back(token);
      found[sequence].score += score;
      found[sequence].ended = token == marks.end;
      if (token == marks.end || position + 1 == max_lengths[sequence]) continue;
      still_alive.push_back(alive[row]);
      newest.push_back(token);
      rows.push_back(static_cast<std::int64_t>(row));
    }
    all_went_on = still_alive.size() == alive.size();
    alive = std::move(still_alive);
  }
  return found;
}

}  // namespace lectern::nn
