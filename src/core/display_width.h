#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  // in bytes; 0 = the text does not begin with valid UTF-8
};
/// Decodes the character at the front of a text, which must not be empty.
CodePoint decode_utf8(std::string_view text);

// The width of text is the number of columns that a terminal gives to it: 2 for East Asian wide
// characters and emoji, 0 for combining marks, 1 for all else. It does not depend on the locale.

std::size_t display_width(char32_t character);
/// Returns the width of UTF-8 text; each byte of a broken character counts as one column.
std::size_t display_width(std::string_view utf8);

/// Returns whether a character is a mark that only reorders the text around it (bidi).
bool reorders_text(char32_t character);
/// Returns the text with each such mark escaped ("\u202e"), for formats in which printable() would
/// make different names equal.
std::string with_visible_marks(std::string_view text);

/// Holds the characters after which a word that is too long is broken rather than before others.
inline constexpr std::string_view kBreakAfter = "-_=/,";

/// Breaks text at blanks into one or more lines of at most `width` > 0 columns; longer words are
/// broken, too, after one of kBreakAfter where the line has one. Blanks at the front of the text
/// indent every line, if they leave room.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace lapcast
