#include <numeric>

#include "examples/text/grammar/derivation.h"
#include "examples/text/grammar/hash.h"

namespace lectern::text {

namespace {

/// Answers at random: draw n of the stream is mix(key + n · the odd constant of SplitMix64).
/// Ref: Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators", section 3.
class RandomChoices final : public Choices {
 public:
  explicit RandomChoices(std::uint64_t key) : state_(key) {}

  std::size_t pick(std::span<const int> weights) override {
    std::uint64_t rest =
        below(static_cast<std::uint64_t>(std::accumulate(weights.begin(), weights.end(), 0)));
    std::size_t position = 0;
    while (rest >= static_cast<std::uint64_t>(weights[position]))
      rest -= static_cast<std::uint64_t>(weights[position++]);
    return position;
  }

  std::size_t leaf(std::span<const int> weights) override { return pick(weights); }
  std::size_t numeral(std::size_t count) override { return static_cast<std::size_t>(below(count)); }
  NounPhrase noun_phrase(const NounPhraseRule& rule) override {
    return derive_noun_phrase(*this, rule);
  }
  Clause clause(const ClauseRule& rule) override { return derive_clause(*this, rule); }

 private:
  /// An integer in [0, bound), for bounds far below 2^32: the upper half of the word, scaled.
  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    return ((mix(state_) >> 32) * bound) >> 32;
  }

  std::uint64_t state_;
};

}  // namespace

Sentence random_sentence(std::uint64_t seed, std::uint64_t index) {
  RandomChoices choices(mix(mix(seed) + index));
  return derive_sentence(choices);
}

}  // namespace lectern::text
