#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lapcast {

// Nearly all lines of a lap log are iterations. They are parsed here eight characters at a time, in
// inline functions.

/// Holds a parsed line "T i N\n" or "T q N\n".
struct IterationLine {
  std::int64_t at_ns = 0;
  std::int32_t samples = 0;
  bool finished = true;
  std::ptrdiff_t bytes = 0;  // of the line, with its '\n'
};

/// Holds a parsed line "T ended LAP AT\n", which may be as frequent as iterations.
struct EndLine {
  std::int64_t at_ns = 0;
  std::int64_t lap = 0;
  std::int64_t end_ns = 0;
  std::size_t bytes = 0;
};

inline constexpr std::size_t kIterationLineReach = 64;  // bytes that must be readable

/// Returns the number of decimal digits that 8 characters (the first in the lowest byte) begin
/// with. d ^ '0' is 0..9 for a digit and nothing else; adding 0x76 carries into the top bit from 10
/// on.
inline int leading_digits(std::uint64_t chars) {
  const std::uint64_t x = chars ^ 0x3030303030303030u;
  const std::uint64_t other = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
  return other == 0 ? 8 : std::countr_zero(other) / 8;
}

/// Returns the number that the first n (1..8) of 8 characters spell, pairs of neighbours joined in
/// three steps (SWAR).
inline std::uint64_t spelled(std::uint64_t chars, int n) {
  std::uint64_t x = (chars ^ 0x3030303030303030u) << (64 - 8 * n);
  x = (x * 10 + (x >> 8)) & 0x00FF00FF00FF00FFu;
  x = (x * 100 + (x >> 16)) & 0x0000FFFF0000FFFFu;
  return (x * 10000 + (x >> 32)) & 0xFFFFFFFFu;
}

inline std::uint64_t load8(const char* from) {
  std::uint64_t chars;
  std::memcpy(&chars, from, sizeof chars);
  return chars;
}

/// Parses a number of 1 to 15 digits and moves `at` behind it.
inline bool parse_number(const char*& at, std::int64_t& number) {
  constexpr std::uint32_t kPowersOf10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  std::uint64_t chars = load8(at);
  int n = leading_digits(chars);
  if (n == 0) return false;
  std::uint64_t value = spelled(chars, n);
  at += n;
  if (n == 8) {
    chars = load8(at);
    n = leading_digits(chars);
    if (n == 8) return false;
    if (n > 0) value = value * kPowersOf10[n] + spelled(chars, n);
    at += n;
  }
  number = static_cast<std::int64_t>(value);
  return true;
}

/// Parses the line at `from`, of which kIterationLineReach bytes are readable. Reads only plain
/// lines, of fewer than 16 digits of time and 8 of samples, on little-endian machines. Returns
/// false for all others, valid or not: the caller then reads the line in full.
inline bool parse_iteration_line(const char* from, IterationLine& line) {
  if constexpr (std::endian::native != std::endian::little) return false;
  const char* at = from;
  if (!parse_number(at, line.at_ns)) return false;
  if (at[0] != ' ' || (at[1] != 'i' && at[1] != 'q') || at[2] != ' ') return false;
  line.finished = at[1] == 'i';
  at += 3;
  const std::uint64_t chars = load8(at);
  const int n = leading_digits(chars);
  if (n == 0 || n == 8 || at[n] != '\n') return false;
  line.samples = static_cast<std::int32_t>(spelled(chars, n));
  line.bytes = at + n + 1 - from;
  return true;
}

/// Parses the end of a lap in the same way.
inline bool parse_end_line(const char* from, EndLine& line) {
  if constexpr (std::endian::native != std::endian::little) return false;
  constexpr std::string_view kEnded = " ended ";
  const char* at = from;
  if (!parse_number(at, line.at_ns) || std::string_view(at, kEnded.size()) != kEnded) return false;
  at += kEnded.size();
  if (!parse_number(at, line.lap) || *at++ != ' ') return false;
  if (!parse_number(at, line.end_ns) || *at != '\n') return false;
  line.bytes = static_cast<std::size_t>(at + 1 - from);
  return true;
}

}  // namespace lapcast
