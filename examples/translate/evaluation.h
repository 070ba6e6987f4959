#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/text/bleu.h"
#include "examples/translate/data.h"
#include "examples/translate/translator.h"

namespace lectern::translate {

/// How well a model translates sentences it has not learnt from.
struct Scores {
  std::int64_t tokens = 0;    ///< of the references, end marks included
  double loss = 0;            ///< plain cross entropy, nats/token
  double token_accuracy = 0;  ///< share of tokens with the highest score, given all before them
  double exact = 0;           ///< share of translations that are the reference, word for word
  text::Bleu bleu;            ///< lower-cased, each translation with its own reference
  std::vector<std::string> translations;
  std::vector<bool> is_exact;  ///< of each translation
};

/// Scores a network that is in evaluation mode.
///
/// Throws: ValueError naming the line of a pair that is longer than the model's positions.
Scores evaluate(const nn::TranslationTransformer& network, const ModelDescription& description,
                const Pairs& pairs);

/// "loss 1.2251 nats/token  perplexity 3.40  token accuracy 71.2 %  exact 40.1 %" and a line with
/// BLEU and its signature.
std::string to_string(const Scores& scores);

}  // namespace lectern::translate
