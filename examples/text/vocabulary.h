#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lectern::text {

/// Control tokens have the first ids of every vocabulary.
inline constexpr std::int64_t kPad = 0;    ///< fills short sentences of a batch
inline constexpr std::int64_t kBegin = 1;  ///< what a decoder is given before the first word
inline constexpr std::int64_t kEnd = 2;    ///< follows the last word of every sentence
inline constexpr std::int64_t kUnknown =
    3;  ///< stands for every word that is not in the vocabulary
inline constexpr std::int64_t kControlTokens = 4;

/// Numbers the words of a language: ids 0 to 3 are `<pad> <bos> <eos> <unk>`, words begin at 4.
///
/// A control token is its id, never its spelling: a word `<pad>` that stands in a text is a word
/// like any other, looked up among the words and `<unk>` if it is rare.
class Vocabulary {
 public:
  /// Takes the words in the order of their ids.
  ///
  /// Throws: ValueError if a word is empty, occurs twice, holds a line end or is not UTF-8.
  explicit Vocabulary(std::vector<std::string> words);

  /// All words that occur at least `minimum_frequency` times, the most frequent first and equally
  /// frequent ones in the order of their code points.
  ///
  /// Throws: ValueError if minimum_frequency < 1.
  static Vocabulary count(std::span<const std::vector<std::string>> sentences,
                          std::int64_t minimum_frequency);

  /// Reads what text() wrote: one entry a line, the four control tokens first.
  ///
  /// Lines are those of LineReader. Throws: IoError naming the line if there is an empty line, a
  /// word twice, or anything but the control tokens on the first four.
  static Vocabulary load(const std::filesystem::path& path);

  /// The content of a vocabulary file.
  std::string text() const;

  /// Number of ids, control tokens included.
  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }

  /// The id of a word, kUnknown if it has none.
  std::int64_t id(std::string_view word) const;

  /// The word of an id; control tokens have their names in angle brackets.
  ///
  /// Throws: IndexError if `id` is outside the vocabulary.
  const std::string& word(std::int64_t id) const;

  /// The ids of a sentence, with kEnd behind them.
  std::vector<std::int64_t> encode(std::span<const std::string> words) const;

  /// The words up to the first kEnd, without kPad and kBegin.
  std::vector<std::string> decode(std::span<const std::int64_t> ids) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // look-ups need no copy of the word
  };

  std::vector<std::string> entries_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> ids_;
};

}  // namespace lectern::text
