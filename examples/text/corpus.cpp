#include "examples/text/corpus.h"

#include <algorithm>
#include <string_view>

#include "examples/text/lines.h"
#include "examples/text/unicode.h"
#include "tensor/error.h"

namespace lectern::text {
namespace {

bool is_blank(std::string_view text) {
  const std::u32string points = decode_utf8(text);
  return std::all_of(points.begin(), points.end(), is_white_space);
}

void check_options(std::string_view op, ReadOptions options) {
  require<ValueError>(options.max_pairs >= 0, "{}: max_pairs is {}; it must be at least 0 (0: all)",
                      op, options.max_pairs);
}

void add(Corpus& corpus, std::string_view source, std::string_view target, std::int64_t line) {
  if (is_blank(source) || is_blank(target)) {
    ++corpus.skipped;
  } else {
    corpus.pairs.push_back({std::string(source), std::string(target), line});
  }
}

bool is_full(const Corpus& corpus, ReadOptions options) {
  return options.max_pairs > 0 &&
         static_cast<std::int64_t>(corpus.pairs.size()) == options.max_pairs;
}

}  // namespace

Corpus read_tsv(const std::filesystem::path& path, ReadOptions options) {
  constexpr std::string_view op = "read_tsv";
  check_options(op, options);
  const std::string text = read_text_file(op, path), name = path.string();

  Corpus corpus;
  LineReader lines(op, name, text);
  while (!is_full(corpus, options) && lines.next()) {
    const std::string_view line = lines.line();
    if (is_blank(line)) {
      ++corpus.skipped;
      continue;
    }
    const std::size_t tab = line.find('\t');
    require<IoError>(tab != std::string_view::npos,
                     "{}: {} line {}: no tab; a line must be source, tab, target", op, name,
                     lines.number());
    const std::string_view target = line.substr(tab + 1);
    add(corpus, line.substr(0, tab), target.substr(0, target.find('\t')), lines.number());
  }
  require<IoError>(!corpus.pairs.empty(), "{}: no sentence pair in {}", op, name);
  return corpus;
}

Corpus read_parallel(const std::filesystem::path& source, const std::filesystem::path& target,
                     ReadOptions options) {
  constexpr std::string_view op = "read_parallel";
  check_options(op, options);
  const std::string source_name = source.string(), target_name = target.string();
  const std::string source_text = read_text_file(op, source);
  const std::string target_text = read_text_file(op, target);

  Corpus corpus;
  LineReader sources(op, source_name, source_text), targets(op, target_name, target_text);
  while (!is_full(corpus, options)) {
    const bool more_sources = sources.next(), more_targets = targets.next();
    require<IoError>(more_sources == more_targets,
                     "{}: {} ends at line {}, {} goes on; line n of one file must translate line n "
                     "of the other",
                     op, more_sources ? target_name : source_name,
                     std::min(sources.number(), targets.number()),
                     more_sources ? source_name : target_name);
    if (!more_sources) break;
    add(corpus, sources.line(), targets.line(), sources.number());
  }
  require<IoError>(!corpus.pairs.empty(), "{}: no sentence pair in {} and {}", op, source_name,
                   target_name);
  return corpus;
}

}  // namespace lectern::text
