#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "examples/translate/options.h"

namespace lectern::translate {

/// Sentences of two to four digits, "one three", with their French translations, in all orders.
inline void write_number_pairs(const std::filesystem::path& file) {
  const std::vector<std::pair<std::string, std::string>> words{
      {"one", "un"}, {"two", "deux"}, {"three", "trois"}, {"four", "quatre"}};
  std::ofstream out(file);
  for (const auto& a : words) {
    for (const auto& b : words) {
      out << a.first << ' ' << b.first << '\t' << a.second << ' ' << b.second << '\n';
      for (const auto& c : words) {
        out << a.first << ' ' << b.first << ' ' << c.first << '\t'  //
            << a.second << ' ' << b.second << ' ' << c.second << '\n';
      }
    }
  }
}

/// A training on number pairs that takes a fraction of a second.
inline TrainOptions small_training(const std::filesystem::path& data,
                                   const std::filesystem::path& out) {
  TrainOptions options;
  options.data = {data};
  options.out = out;
  options.d_model = 32;
  options.heads = 2;
  options.layers = 1;
  options.ff = 64;
  options.batch = 16;
  options.warmup = 40;
  options.epochs = 4;
  options.threads = 1;
  return options;
}

}  // namespace lectern::translate
