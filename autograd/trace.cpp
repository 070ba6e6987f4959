#include "autograd/trace.h"

#include <ostream>

#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace lectern {
namespace {

double norm_of(const Tensor& x) { return norm(x.to(DType::f64)).item(); }  // no overflow of f32

class Tracer final : public GraphObserver {
 public:
  explicit Tracer(const LeafNames& names) : names_(names) {}

  void arrived(const Node& node, const Tensor& g) override {
    step_of_.emplace(&node, static_cast<int>(steps_.size()));
    steps_.push_back({.name = std::string(names_.name_or_op(node)),
                      .dtype = node.dtype,
                      .shape = node.shape,
                      .norm = norm_of(g)});
    sums_before_.clear();
    for (const Edge& edge : node.edges) {
      const Gradient& sum = edge.input->sum;
      // A copy: what the node adds may be written into the same storage.
      sums_before_.emplace(edge.input.get(), sum.empty() ? Tensor() : sum.value().clone());
    }
  }

  void sent(const Node& node, const Tensor& /*g*/) override {
    for (const Edge& edge : node.edges) {
      const auto before = sums_before_.extract(edge.input.get());
      if (before.empty()) continue;  // told already: an operand in several places
      const Node& input = *edge.input;
      const bool is_first = !before.mapped().defined();
      double norm = 0;
      if (!input.sum.empty()) {
        norm = norm_of(is_first ? input.sum.value() : input.sum.value() - before.mapped());
      }
      steps_.back().sent.push_back(
          {.to = std::string(names_.name_or_op(input)), .shape = input.shape, .norm = norm});
      receivers_.push_back(&input);
    }
  }

  Trace finished() {
    auto receiver = receivers_.begin();
    for (TraceStep& step : steps_) {
      for (TraceStep::Sent& sent : step.sent) {
        const auto turn = step_of_.find(*receiver++);
        if (turn != step_of_.end()) sent.step = turn->second;
      }
    }
    return {std::move(steps_)};
  }

 private:
  const LeafNames& names_;
  std::vector<TraceStep> steps_;
  std::unordered_map<const Node*, int> step_of_;
  std::vector<const Node*> receivers_;                   // of all that was sent, in order
  std::unordered_map<const Node*, Tensor> sums_before_;  // of the inputs of the node at work
};

using Row = std::vector<std::string>;

/// Cells under each other, columns two blanks apart; those in `right` end under each other.
std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& right) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_right = std::ranges::find(right, i) != right.end();
      line += fmt::format(fmt::runtime(is_right ? "{:>{}}  " : "{:<{}}  "), row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

Trace trace(const Variable& loss, const Tensor& seed, const LeafNames& names,
            BackwardOptions options) {
  Tracer tracer(names);
  backward(loss, seed, options);
  return tracer.finished();
}

Trace trace(const Variable& loss, const LeafNames& names, BackwardOptions options) {
  Tracer tracer(names);
  backward(loss, options);
  return tracer.finished();
}

std::string to_string(const Trace& trace) {
  std::vector<Row> rows{
      {"#", "node", "result", "|gradient|", "to", "input", "shape", "|gradient|"}};
  const auto number = [](double norm) { return fmt::format("{:.4g}", norm); };
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    Row row{std::to_string(i), step.name, fmt::format("{} {}", step.dtype, step.shape),
            number(step.norm)};
    for (const TraceStep::Sent& sent : step.sent) {
      row.resize(4);
      row.insert(row.end(), {sent.step < 0 ? "-" : std::to_string(sent.step), sent.to,
                             to_string(sent.shape), number(sent.norm)});
      rows.push_back(std::exchange(row, Row(4)));
    }
    if (step.sent.empty()) rows.push_back(row);
  }
  return aligned(rows, {0, 3, 4, 7});
}

std::ostream& operator<<(std::ostream& out, const Trace& trace) { return out << to_string(trace); }

}  // namespace lectern
