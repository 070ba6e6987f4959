#include <algorithm>
#include <functional>
#include <map>

#include "examples/text/grammar/derivation.h"

namespace lectern::text {

namespace {

/// The counts of parts that have been met: each is counted once.
struct KnownCounts {
  std::map<NounPhraseRule, std::uint64_t> noun_phrases;
  std::map<ClauseRule, std::uint64_t> clauses;
};

/// Answers every question in every way. The structural answers are the digits of an odometer; one
/// turn of it is one derivation with its leaves and parts left open, and stands for as many
/// sentences as the product of their numbers.
class EveryChoice final : public Choices {
 public:
  explicit EveryChoice(KnownCounts& known) : known_(known) {}

  std::uint64_t count(const std::function<void(Choices&)>& derive) {
    std::uint64_t total = 0;
    do {
      depth_ = 0;
      product_ = 1;
      derive(*this);
      total += product_;
    } while (advance());
    return total;
  }

  std::size_t pick(std::span<const int> weights) override {
    if (depth_ == digits_.size()) {
      Digit digit;
      for (std::size_t i = weights.size(); i-- > 0;)
        if (weights[i] > 0) digit.push_back(i);
      digits_.push_back(std::move(digit));
    }
    return digits_[depth_++].back();
  }

  std::size_t leaf(std::span<const int> weights) override {
    product_ *=
        static_cast<std::uint64_t>(std::ranges::count_if(weights, [](int w) { return w > 0; }));
    return static_cast<std::size_t>(std::ranges::find_if(weights, [](int w) { return w > 0; }) -
                                    weights.begin());
  }

  std::size_t numeral(std::size_t) override { return 0; }

  NounPhrase noun_phrase(const NounPhraseRule& rule) override {
    auto [entry, is_new] = known_.noun_phrases.try_emplace(rule, 0U);
    if (is_new) {
      EveryChoice inside(known_);
      entry->second = inside.count([&](Choices& c) { derive_noun_phrase(c, rule); });
    }
    product_ *= entry->second;
    return {};
  }

  Clause clause(const ClauseRule& rule) override {
    auto [entry, is_new] = known_.clauses.try_emplace(rule, 0U);
    if (is_new) {
      EveryChoice inside(known_);
      entry->second = inside.count([&](Choices& c) { derive_clause(c, rule); });
    }
    product_ *= entry->second;
    return {};
  }

 private:
  using Digit = std::vector<std::size_t>;  ///< answers still to be given; the last is the present

  bool advance() {
    while (!digits_.empty() && digits_.back().size() == 1) digits_.pop_back();
    if (digits_.empty()) return false;
    digits_.back().pop_back();
    return true;
  }

  KnownCounts& known_;
  std::vector<Digit> digits_;
  std::size_t depth_ = 0;
  std::uint64_t product_ = 1;
};

}  // namespace

std::uint64_t derivable_sentences() {
  KnownCounts known;
  return EveryChoice(known).count([](Choices& choices) { derive_sentence(choices); });
}

std::uint64_t derivable_noun_phrases(const NounPhraseRule& rule) {
  KnownCounts known;
  return EveryChoice(known).count([&](Choices& choices) { derive_noun_phrase(choices, rule); });
}

}  // namespace lectern::text
