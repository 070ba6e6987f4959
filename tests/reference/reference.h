#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/safetensors.h"

namespace lectern {

/// max |got − want| / max(1, max |want|) over a tensor. Equal infinities and NaN beside NaN are no
/// distance apart; anything else that is not finite is infinitely far.
inline double distance(const Tensor& got, const Tensor& want) {
  const Tensor got64 = got.to(DType::f64).contiguous();
  const Tensor want64 = want.to(DType::f64).contiguous();
  const auto g = got64.data<double>();
  const auto w = want64.data<double>();
  double off = 0, size = 1;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (std::isfinite(w[i])) size = std::max(size, std::abs(w[i]));
    if (g[i] == w[i] || (std::isnan(g[i]) && std::isnan(w[i]))) continue;
    const double difference = std::abs(g[i] - w[i]);
    off = std::max(off,
                   std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
  }
  return off / size;
}

/// How far a value may be from PyTorch's f64 value; see distance().
struct Tolerance {
  double f64 = 1e-10;
  double f32 = 1e-6;         ///< or, if larger,
  double times_pytorch = 2;  ///< this many times the distance of PyTorch's own f32 value
};

/// Values that PyTorch computed: a file of tests/reference/data, which make_reference.py wrote.
class Reference {
 public:
  /// Reads data/<file>.safetensors.
  explicit Reference(std::string_view file) {
    const std::string path =
        fmt::format("{}/tests/reference/data/{}.safetensors", LECTERN_SOURCE_DIR, file);
    Safetensors all = load_safetensors(path);
    for (NamedTensor& entry : all.tensors) {
      const std::string name = entry.name.substr(0, entry.name.rfind('/'));
      if (cases_.empty() || cases_.back() != name) cases_.push_back(name);
      names_.push_back(entry.name);
      entries_.emplace(std::move(entry.name), std::move(entry.value));
    }
    for (const auto& [name, distance] : all.metadata) {
      pytorch_f32_.emplace(name, std::stod(distance));
    }
  }

  /// What stands before the last '/' of the entries' names, in the order of the file.
  const std::vector<std::string>& cases() const { return cases_; }
  bool contains(const std::string& name) const { return entries_.contains(name); }
  /// The entry as it is stored: inputs f32, i64 or bool; results f64.
  const Tensor& at(const std::string& name) const { return entries_.at(name); }
  /// An input in the dtype of a computation; integers and booleans as they are.
  Tensor input(const std::string& name, DType dtype) const {
    const Tensor& x = entries_.at(name);
    return is_floating(x.dtype()) ? x.to(dtype) : x;
  }

  /// The inputs or constants "name/<role>0", "name/<role>1", … of a case.
  std::vector<Tensor> inputs(const std::string& name, std::string_view role, DType dtype) const {
    std::vector<Tensor> all;
    while (contains(fmt::format("{}/{}{}", name, role, all.size()))) {
      all.push_back(input(fmt::format("{}/{}{}", name, role, all.size()), dtype));
    }
    return all;
  }
  /// The parameters of a case's module by their own names, in the order of PyTorch's state dict.
  std::vector<NamedTensor> weights(const std::string& name, DType dtype) const {
    const std::string prefix = name + "/w.";
    std::vector<NamedTensor> all;
    for (const std::string& entry : names_) {
      if (entry.starts_with(prefix)) {
        all.push_back({entry.substr(prefix.size()), input(entry, dtype)});
      }
    }
    return all;
  }

  /// Passes if `got`, computed in its own dtype, has the shape of the entry and is near it.
  testing::AssertionResult matches(const std::string& name, const Tensor& got,
                                   Tolerance tolerance = {}) const {
    const Tensor& want = entries_.at(name);
    if (got.shape() != want.shape()) {
      return testing::AssertionFailure()
             << fmt::format("{}: got is {}, want is {}", name, got.shape(), want.shape());
    }
    const double off = distance(got, want);
    double allowed = 0;  // integers and booleans
    if (got.dtype() == DType::f64) allowed = tolerance.f64;
    if (got.dtype() == DType::f32) {
      const auto pytorch = pytorch_f32_.find(name);  // not stored if it is very near
      allowed = tolerance.f32;
      if (pytorch != pytorch_f32_.end()) {
        allowed = std::max(allowed, tolerance.times_pytorch * pytorch->second);
      }
    }
    if (off <= allowed) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << fmt::format("{} in {}: the distance is {:.3g}, allowed are {:.3g}", name, got.dtype(),
                          off, allowed);
  }

 private:
  std::vector<std::string> cases_;
  std::vector<std::string> names_;  // of the entries, in the order of the file
  std::map<std::string, Tensor> entries_;
  std::map<std::string, double> pytorch_f32_;
};

}  // namespace lectern
