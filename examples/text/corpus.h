#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lectern::text {

/// A sentence and its translation, as they stand in the file.
struct LinePair {
  std::string source;
  std::string target;
  std::int64_t line = 0;  ///< where it stands, counted from 1
};

/// What was read from a file of sentence pairs.
struct Corpus {
  std::vector<LinePair> pairs;
  std::int64_t skipped = 0;  ///< lines left out because a side, or the whole line, is empty
};

/// What part of a file is read.
struct ReadOptions {
  std::int64_t max_pairs = 0;  ///< stop after so many pairs; 0: read all
};

/// Reads "source TAB target" lines.
///
/// Lines are those of LineReader. Quotes are ordinary characters. Columns behind the second are
/// ignored (files of Tatoeba sentences name their authors there). Lines that are empty, or have a
/// side without anything but white space, are skipped and counted.
/// Throws: IoError naming file and line if a line has no tab or is not UTF-8; IoError if the file
///         is missing, a directory, empty, or holds no pair at all; ValueError if max_pairs < 0.
Corpus read_tsv(const std::filesystem::path& path, ReadOptions options = {});

/// Reads two files of which line n of one translates line n of the other. A tab is white space
/// here; otherwise as read_tsv.
///
/// Throws: as read_tsv, and IoError if the files have different numbers of lines.
Corpus read_parallel(const std::filesystem::path& source, const std::filesystem::path& target,
                     ReadOptions options = {});

}  // namespace lectern::text
