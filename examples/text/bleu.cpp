#include "examples/text/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "examples/text/unicode.h"
#include "tensor/build_info.h"
#include "tensor/error.h"

namespace lectern::text {
namespace {

constexpr std::size_t kOrders = 4;

using Tokens = std::vector<std::string>;
using NgramCounts = std::map<std::vector<std::string_view>, std::int64_t>;

NgramCounts count_ngrams(const Tokens& tokens, std::size_t order) {
  NgramCounts counts;
  for (std::size_t i = 0; i + order <= tokens.size(); ++i) {
    ++counts[{tokens.data() + i, tokens.data() + i + order}];
  }
  return counts;
}

std::int64_t length_of(const Tokens& tokens) { return static_cast<std::int64_t>(tokens.size()); }

std::int64_t closest_length(const Tokens& output, const std::vector<Tokens>& references) {
  const auto badness = [&](const Tokens& reference) {
    return std::tuple(std::abs(length_of(reference) - length_of(output)), length_of(reference));
  };
  return length_of(
      *std::min_element(references.begin(), references.end(),
                        [&](const Tokens& a, const Tokens& b) { return badness(a) < badness(b); }));
}

struct Matches {
  std::int64_t matching = 0;
  std::int64_t total = 0;
};

Matches count_matches(const Tokens& output, const std::vector<Tokens>& references,
                      std::size_t order) {
  NgramCounts most;
  for (const Tokens& reference : references) {
    for (const auto& [ngram, count] : count_ngrams(reference, order)) {
      most[ngram] = std::max(most[ngram], count);
    }
  }
  Matches matches;
  for (const auto& [ngram, count] : count_ngrams(output, order)) {
    matches.total += count;
    const auto found = most.find(ngram);
    if (found != most.end()) matches.matching += std::min(count, found->second);
  }
  return matches;
}

std::array<double, kOrders> precisions_of(const std::array<Matches, kOrders>& orders,
                                          BleuSmoothing smoothing) {
  std::array<double, kOrders> precisions{};
  double halves = 1;
  for (std::size_t n = 0; n < kOrders && orders[n].total > 0; ++n) {
    const auto total = static_cast<double>(orders[n].total);
    if (orders[n].matching > 0) {
      precisions[n] = 100 * static_cast<double>(orders[n].matching) / total;
    } else if (smoothing == BleuSmoothing::exp) {
      halves *= 2;
      precisions[n] = 100 / (halves * total);
    }
  }
  return precisions;
}

template <class Outputs, class References>
void check_counts(std::string_view op, const Outputs& outputs, const References& references) {
  require<ValueError>(!outputs.empty(), "{}: there is no sentence to score", op);
  require<ValueError>(outputs.size() == references.size(),
                      "{}: {} outputs, but references for {}; each output needs its own", op,
                      outputs.size(), references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    require<ValueError>(!references[i].empty(), "{}: sentence {} has no reference", op, i + 1);
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point_or_comma(char c) { return c == '.' || c == ','; }

// ASCII punctuation but for ' , - . which the other steps of 13a treat.
bool stands_alone(char c) {
  return c >= ' ' && c <= '~' && std::string_view("',-.").find(c) == std::string_view::npos &&
         !is_digit(c) && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z');
}

// Rewrites every pair of neighbours for which `matches(a, b)`, from left to right without overlap.
template <class Matches, class Rewrite>
std::string rewrite_pairs(std::string_view text, Matches matches, Rewrite rewrite) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      result += rewrite(text[i], text[i + 1]);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
  std::vector<std::string> words;
  std::u32string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(encode_utf8(word));
    word.clear();
  };
  for (const char32_t point : decode_utf8(text)) {
    if (is_white_space(point)) {
      finish();
    } else {
      word += point;
    }
  }
  finish();
  return words;
}

}  // namespace

Bleu corpus_bleu(std::span<const Tokens> outputs, std::span<const std::vector<Tokens>> references,
                 BleuSmoothing smoothing) {
  check_counts("corpus_bleu", outputs, references);
  Bleu bleu;
  std::array<Matches, kOrders> orders{};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    bleu.output_length += length_of(outputs[i]);
    bleu.reference_length += closest_length(outputs[i], references[i]);
    for (std::size_t n = 0; n < kOrders; ++n) {
      const Matches found = count_matches(outputs[i], references[i], n + 1);
      orders[n].matching += found.matching;
      orders[n].total += found.total;
    }
  }
  if (orders[0].matching == 0) return bleu;

  const auto c = static_cast<double>(bleu.output_length);
  const auto r = static_cast<double>(bleu.reference_length);
  bleu.precisions = precisions_of(orders, smoothing);
  bleu.brevity_penalty = c < r ? std::exp(1 - r / c) : 1;
  double log_sum = 0;  // log 0 = -inf makes the score 0
  for (const double precision : bleu.precisions) log_sum += std::log(precision);
  // Rounding must not take a perfect score above 100.
  bleu.score = std::min(100.0, bleu.brevity_penalty * std::exp(log_sum / kOrders));
  return bleu;
}

Bleu text_bleu(std::span<const std::string> outputs,
               std::span<const std::vector<std::string>> references, BleuOptions options) {
  check_counts("text_bleu", outputs, references);
  const auto prepare = [&](const std::string& text) {
    return tokenize_13a(clean_up(text, {.lower_case = options.lower_case}));
  };
  std::vector<Tokens> output_tokens;
  std::vector<std::vector<Tokens>> reference_tokens;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    output_tokens.push_back(prepare(outputs[i]));
    auto& tokens = reference_tokens.emplace_back();
    for (const std::string& reference : references[i]) tokens.push_back(prepare(reference));
  }
  return corpus_bleu(output_tokens, reference_tokens, options.smoothing);
}

std::vector<std::string> tokenize_13a(std::string_view text) {
  std::string line(text);
  replace_all(line, "<skipped>", "");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");

  std::string spaced = " ";
  for (const char c : line) {
    if (stands_alone(c)) {
      spaced += {' ', c, ' '};
    } else {
      spaced += c;
    }
  }
  spaced += ' ';
  // A point or comma is cut off unless a digit stands on its other side; a hyphen behind a digit.
  spaced = rewrite_pairs(
      spaced, [](char a, char b) { return !is_digit(a) && is_point_or_comma(b); },
      [](char a, char b) {
        return std::string{a, ' ', b, ' '};
      });
  spaced = rewrite_pairs(
      spaced, [](char a, char b) { return is_point_or_comma(a) && !is_digit(b); },
      [](char a, char b) {
        return std::string{' ', a, ' ', b};
      });
  spaced = rewrite_pairs(
      spaced, [](char a, char b) { return is_digit(a) && b == '-'; },
      [](char a, char b) {
        return std::string{a, ' ', b, ' '};
      });
  return split_at_blanks(spaced);
}

std::string bleu_signature(std::int64_t references_each, BleuOptions options) {
  return fmt::format("BLEU|nrefs:{}|case:{}|eff:no|tok:13a|smooth:{}|version:lectern-{}",
                     references_each, options.lower_case ? "lc" : "mixed",
                     options.smoothing == BleuSmoothing::exp ? "exp" : "none",
                     build_info().version);
}

std::string to_string(const Bleu& bleu) {
  const auto& p = bleu.precisions;
  return fmt::format("{:.2f} ({:.1f}/{:.1f}/{:.1f}/{:.1f} BP {:.3f} output {} reference {})",
                     bleu.score, p[0], p[1], p[2], p[3], bleu.brevity_penalty, bleu.output_length,
                     bleu.reference_length);
}

}  // namespace lectern::text
