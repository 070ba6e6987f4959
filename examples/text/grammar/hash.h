#pragma once

#include <cstdint>
#include <string_view>

namespace lectern::text {

/// Scrambles a word so that each bit of the result depends on every bit of `x` (SplitMix64's
/// finaliser).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A hash of the bytes of `text` that is the same everywhere: FNV-1a (64 bits), then mix.
constexpr std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return mix(hash);
}

}  // namespace lectern::text
