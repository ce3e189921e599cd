#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lapcast {

/// Holds a line "T i N\n" or "T q N\n", as nearly all of a lap log are.
struct IterationLine {
  std::int64_t at_ns = 0;
  std::int32_t samples = 0;
  bool finished = true;
  std::ptrdiff_t bytes = 0;  // of the line, with its '\n'
};

inline constexpr std::ptrdiff_t kIterationLineReach = 40;  // bytes that must be readable
inline constexpr std::size_t kTypicalIterationBytes = 20;  // to reserve room for laps

namespace detail {

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

}  // namespace detail

/// Parses the line at `from`, of which kIterationLineReach bytes are readable. Reads only plain
/// lines, of fewer than 16 digits of time and 8 of samples, on little-endian machines. Returns
/// false for all others, valid or not: the caller then reads the line in full.
inline bool parse_iteration_line(const char* from, IterationLine& line) {
  if constexpr (std::endian::native != std::endian::little) return false;
  constexpr std::uint32_t kPowersOf10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  const char* at = from;
  std::uint64_t chars = detail::load8(at);
  int n = detail::leading_digits(chars);
  if (n == 0) return false;
  std::uint64_t time = detail::spelled(chars, n);
  at += n;
  if (n == 8) {
    chars = detail::load8(at);
    n = detail::leading_digits(chars);
    if (n == 8) return false;
    if (n > 0) time = time * kPowersOf10[n] + detail::spelled(chars, n);
    at += n;
  }
  if (at[0] != ' ' || (at[1] != 'i' && at[1] != 'q') || at[2] != ' ') return false;
  line.finished = at[1] == 'i';
  at += 3;
  chars = detail::load8(at);
  n = detail::leading_digits(chars);
  if (n == 0 || n == 8 || at[n] != '\n') return false;
  line.at_ns = static_cast<std::int64_t>(time);
  line.samples = static_cast<std::int32_t>(detail::spelled(chars, n));
  line.bytes = at + n + 1 - from;
  return true;
}

}  // namespace lapcast
