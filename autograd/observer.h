#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

namespace lectern {

struct Node;
class Tensor;
class Variable;

/// Is told what becomes of the graph on this thread, from its construction to the end of its scope;
/// trace() and AnomalyMode are made of it. What is observed has the same bits as without.
///
/// Observers nest: all that are alive are told, the youngest first. They may end in any order, but
/// on the thread that they were made on. An exception that one throws ends the op or the backward
/// pass that it was told of.
class GraphObserver {
 public:
  GraphObserver(const GraphObserver&) = delete;
  GraphObserver& operator=(const GraphObserver&) = delete;

  /// `op` has computed `result`, recorded or not. Inputs are those it can be differentiated by.
  virtual void computed(std::string_view /*op*/, const Tensor& /*result*/,
                        std::span<const Variable* const> /*inputs*/) {}
  /// All of g = dL/d(node) has arrived: a leaf keeps it, an op is about to send it on.
  virtual void arrived(const Node& /*node*/, const Tensor& /*g*/) {}
  /// The op has added its parts to the sums of its inputs (Edge::input->sum).
  virtual void sent(const Node& /*node*/, const Tensor& /*g*/) {}

 protected:
  GraphObserver();
  virtual ~GraphObserver();

 private:
  friend struct Observers;
  GraphObserver* outer_;
};

namespace graph {

/// Whether an observer is alive on this thread.
bool is_observed();
void tell_computed(std::string_view op, const Tensor& result,
                   std::span<const Variable* const> inputs);
void tell_arrived(const Node& node, const Tensor& g);
void tell_sent(const Node& node, const Tensor& g);

}  // namespace graph
}  // namespace lectern
