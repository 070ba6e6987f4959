#include "examples/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "examples/text/lines.h"
#include "examples/text/unicode.h"
#include "tensor/error.h"

namespace lectern::text {
namespace {

constexpr std::array<std::string_view, kControlTokens> kControlNames{"<pad>", "<bos>", "<eos>",
                                                                     "<unk>"};

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> words)
    : entries_(kControlNames.begin(), kControlNames.end()) {
  entries_.reserve(words.size() + kControlNames.size());
  for (std::string& word : words) {
    const std::int64_t id = size();
    require<ValueError>(!word.empty(), "Vocabulary: word {} is empty", id);
    require<ValueError>(word.find_first_of("\r\n") == std::string::npos,
                        "Vocabulary: word {} holds a line end; words stand one a line", id);
    require<ValueError>(!find_invalid_utf8(word), "Vocabulary: word {} is not UTF-8", id);
    const auto [first, is_new] = ids_.try_emplace(word, id);
    require<ValueError>(is_new, "Vocabulary: \"{}\" is word {} and word {}; each may stand once",
                        word, first->second, id);
    entries_.push_back(std::move(word));
  }
}

Vocabulary Vocabulary::count(std::span<const std::vector<std::string>> sentences,
                             std::int64_t minimum_frequency) {
  require<ValueError>(minimum_frequency >= 1,
                      "Vocabulary: minimum frequency is {}; it must be at least 1",
                      minimum_frequency);
  std::unordered_map<std::string_view, std::int64_t> counts;
  for (const auto& sentence : sentences) {
    for (const std::string& word : sentence) ++counts[word];
  }
  std::vector<std::pair<std::string_view, std::int64_t>> kept;
  for (const auto& entry : counts) {
    if (entry.second >= minimum_frequency) kept.push_back(entry);
  }
  // Bytes of UTF-8 compare as their code points do.
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> words;
  words.reserve(kept.size());
  for (const auto& entry : kept) words.emplace_back(entry.first);
  return Vocabulary(std::move(words));
}

Vocabulary Vocabulary::load(const std::filesystem::path& path) {
  constexpr std::string_view op = "Vocabulary";
  const std::string text = read_text_file(op, path), name = path.string();
  LineReader lines(op, name, text);
  for (std::size_t i = 0; i < kControlNames.size(); ++i) {
    const bool expected = lines.next() && lines.line() == kControlNames[i];
    require<IoError>(expected,
                     "{}: {} line {}: expected {}; a vocabulary file begins with <pad> <bos> <eos> "
                     "<unk>, one a line",
                     op, name, i + 1, kControlNames[i]);
  }
  std::vector<std::string> words;
  std::unordered_map<std::string_view, std::int64_t> seen;
  while (lines.next()) {
    require<IoError>(!lines.line().empty(), "{}: {} line {}: empty line", op, name, lines.number());
    const auto [first, is_new] = seen.try_emplace(lines.line(), lines.number());
    require<IoError>(is_new, "{}: {} line {}: \"{}\" stands on line {} already", op, name,
                     lines.number(), lines.line(), first->second);
    words.emplace_back(lines.line());
  }
  return Vocabulary(std::move(words));
}

std::string Vocabulary::text() const {
  std::string lines;
  for (const std::string& entry : entries_) lines += entry + '\n';
  return lines;
}

std::int64_t Vocabulary::id(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? kUnknown : found->second;
}

const std::string& Vocabulary::word(std::int64_t id) const {
  require<IndexError>(id >= 0 && id < size(), "Vocabulary: id {} is outside 0..{}", id, size() - 1);
  return entries_[static_cast<std::size_t>(id)];
}

std::vector<std::int64_t> Vocabulary::encode(std::span<const std::string> words) const {
  std::vector<std::int64_t> ids;
  ids.reserve(words.size() + 1);
  for (const std::string& word : words) ids.push_back(id(word));
  ids.push_back(kEnd);
  return ids;
}

std::vector<std::string> Vocabulary::decode(std::span<const std::int64_t> ids) const {
  std::vector<std::string> words;
  for (const std::int64_t id : ids) {
    if (id == kEnd) break;
    if (id != kPad && id != kBegin) words.push_back(word(id));
  }
  return words;
}

}  // namespace lectern::text
