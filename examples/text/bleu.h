#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::text {

/// What an order without any matching n-gram counts as.
enum class BleuSmoothing {
  none,  ///< 0, and so does the whole score
  exp,   ///< the k-th such order, from low to high, as 1 / (2^k · number of its n-grams)
};

/// BLEU of a corpus, and what it is made of.
struct Bleu {
  double score = 0;                    ///< 0..100
  std::array<double, 4> precisions{};  ///< of 1- to 4-grams, 0..100, smoothed
  double brevity_penalty = 0;          ///< exp(1 - r/c) if the output is shorter than r, else 1
  std::int64_t output_length = 0;      ///< c, in tokens
  std::int64_t reference_length = 0;  ///< r: per sentence the closest, of equally close the shorter
};

/// BLEU of sentences that are cut into tokens already.
///
///   BLEU = 100 · BP · (p1 p2 p3 p4)^(1/4),   p_n = matching n-grams / n-grams of all output
///
/// An n-gram matches at most as often as it stands in the one reference that has it most often.
/// The score is 0 if no word matches, or if no sentence is long enough to have a 4-gram.
///
/// Throws: ValueError if there is no sentence, numbers of outputs and references differ, or a
///         sentence has no reference.
/// Ref:    Papineni et al. (2002), "BLEU: a Method for Automatic Evaluation of Machine
/// Translation";
///         Chen and Cherry (2014), "A Systematic Comparison of Smoothing Techniques for
///         Sentence-Level BLEU", method 3.
Bleu corpus_bleu(std::span<const std::vector<std::string>> outputs,
                 std::span<const std::vector<std::vector<std::string>>> references,
                 BleuSmoothing smoothing = BleuSmoothing::exp);

/// How text_bleu compares.
struct BleuOptions {
  bool lower_case = true;  ///< of outputs and references
  BleuSmoothing smoothing = BleuSmoothing::exp;
};

/// BLEU of plain text: both sides are cleaned up (`clean_up`) and cut by tokenize_13a.
///
/// Throws: as corpus_bleu, and ValueError if a text is not UTF-8.
Bleu text_bleu(std::span<const std::string> outputs,
               std::span<const std::vector<std::string>> references, BleuOptions options = {});

/// Cuts text as the mteval-v13a script of the WMT evaluations does: ASCII punctuation stands alone,
/// except that . and , stay inside numbers and - and ' inside words.
/// Ref: Post (2018), "A Call for Clarity in Reporting BLEU Scores", arXiv:1804.08771.
std::vector<std::string> tokenize_13a(std::string_view text);

/// What must be known to compare a score:
/// `BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:…`.
std::string bleu_signature(std::int64_t references_each, BleuOptions options = {});

/// The score with its parts: "26.03 (54.2/32.5/20.1/13.0 BP 0.981 output 2310 reference 2354)".
std::string to_string(const Bleu& bleu);

}  // namespace lectern::text
