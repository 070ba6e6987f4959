#include "autograd/observer.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <utility>

namespace lectern {

/// Those alive on this thread, each pointing to the one around it.
struct Observers {
  static thread_local GraphObserver* innermost;

  template <class Tell>
  static void each(const Tell& tell) {
    for (GraphObserver* o = innermost; o != nullptr; o = o->outer_) tell(*o);
  }
};

thread_local GraphObserver* Observers::innermost = nullptr;

GraphObserver::GraphObserver() : outer_(std::exchange(Observers::innermost, this)) {}
GraphObserver::~GraphObserver() {
  GraphObserver** link = &Observers::innermost;
  while (*link != this) {
    if (*link == nullptr) {  // it would still be told of what happens on its own thread
      fmt::print(stderr, "GraphObserver: destroyed on another thread than it was made on\n");
      std::terminate();
    }
    link = &(*link)->outer_;
  }
  *link = outer_;
}

namespace graph {

bool is_observed() { return Observers::innermost != nullptr; }

void tell_computed(std::string_view op, const Tensor& result,
                   std::span<const Variable* const> inputs) {
  Observers::each([&](GraphObserver& o) { o.computed(op, result, inputs); });
}

void tell_arrived(const Node& node, const Tensor& g) {
  Observers::each([&](GraphObserver& o) { o.arrived(node, g); });
}

void tell_sent(const Node& node, const Tensor& g) {
  Observers::each([&](GraphObserver& o) { o.sent(node, g); });
}

}  // namespace graph
}  // namespace lectern
