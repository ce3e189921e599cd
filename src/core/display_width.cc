#include "core/display_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace lapcast {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Lists general categories Mn, Me and Cf of Unicode 15 for the most frequent scripts, by block.
constexpr Range kZeroWide[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489},  {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC},   {0x093C, 0x093C},  {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF},  {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2060, 0x2064},
    {0x20D0, 0x20FF},   {0x302A, 0x302D},  {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};

// Lists classes W and F of EastAsianWidth.txt of Unicode 15, by block.
constexpr Range kTwoWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2B50, 0x2B50},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x17000, 0x18CFF},
    {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB},
    {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t n>
bool is_in(const Range (&ranges)[n], char32_t c) {
  const auto* const after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t x, const Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

/// Returns how many bytes of a word go into a line with room for `columns`: at least one character,
/// and of a word that does not fit, where possible, up to one of kBreakAfter.
std::size_t bytes_that_fit(std::string_view word, std::size_t columns) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < word.size()) {
    const auto [c, length] = decode_utf8(word.substr(bytes));
    used += display_width(c);
    if (used > columns && bytes > 0) break;
    bytes += std::max<std::size_t>(length, 1);
  }
  if (bytes == word.size()) return bytes;
  const std::size_t mark = word.substr(0, bytes).find_last_of(kBreakAfter);
  const bool is_in_word =
      mark != word.npos && word.find_first_not_of(kBreakAfter) < mark;  // no dash of an option
  return is_in_word ? mark + 1 : bytes;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const char32_t lead = byte_at(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return {};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte_at(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || value > 0x10FFFF || surrogate) return {};
  return {value, length};
}

std::size_t display_width(char32_t character) {
  if (character < 0x300) return 1;
  return is_in(kZeroWide, character) ? 0 : is_in(kTwoWide, character) ? 2 : 1;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    const auto [c, length] = decode_utf8(utf8);
    utf8.remove_prefix(std::max<std::size_t>(length, 1));
    width += display_width(c);
  }
  return width;
}

bool reorders_text(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x206F);
}

std::string with_visible_marks(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const CodePoint c = decode_utf8(text);
    const std::size_t used = std::max<std::size_t>(c.length, 1);
    if (c.length > 0 && reorders_text(c.value))
      visible += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.value));
    else
      visible += text.substr(0, used);
    text.remove_prefix(used);
  }
  return visible;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const std::string indent(2 * blanks < width ? blanks : 0, ' ');
  text.remove_prefix(blanks);
  std::vector<std::string> lines{indent};
  std::size_t used = indent.size();  // columns of the last line
  const auto break_line = [&] {
    lines.push_back(indent);
    used = indent.size();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_first = used == indent.size();
    if (!is_first && used + 1 + display_width(word) > width)
      break_line();
    else if (!is_first)
      lines.back() += ' ', ++used;
    while (!word.empty()) {
      const std::size_t bytes = bytes_that_fit(word, width - std::min(used, width));
      lines.back() += word.substr(0, bytes);
      used += display_width(word.substr(0, bytes));
      word.remove_prefix(bytes);
      if (!word.empty()) break_line();
    }
  }
  return lines;
}

}  // namespace lapcast
