#include "report/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::size_t kCommentWidth = 98;

bool is_printable_ascii(char c) {
  return c >= ' ' && c <= '~';
}

/// The code point at the front of valid UTF-8, and its length in bytes.
std::pair<unsigned, std::size_t> first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned value = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i)
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return {value, std::min(length, text.size())};
}

std::string escaped(unsigned code_point) {
  switch (code_point) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (code_point < 0x100) return fmt::format("\\x{:02X}", code_point);
  if (code_point < 0x10000) return fmt::format("\\u{:04X}", code_point);
  return fmt::format("\\U{:08X}", code_point);
}

bool fits_a_block(std::string_view line) {
  return !line.empty() && line[0] != ' ' &&
         std::all_of(line.begin(), line.end(), is_printable_ascii);
}

/// U+FFFE and U+FFFF are characters that YAML allows nowhere.
void remove_noncharacters(std::string& text) {
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = 0; (at = text.find(none, at)) != std::string::npos;)
      text.replace(at, none.size(), "?");
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  std::string scalar = "\"";
  while (!text.empty()) {
    const auto [code_point, length] = first_code_point(text);
    const bool plain = is_printable_ascii(text[0]) && text[0] != '"' && text[0] != '\\';
    scalar += plain ? std::string(1, text[0]) : escaped(code_point);
    text.remove_prefix(length);
  }
  return scalar + '"';
}

std::string yaml_block(std::string_view text) {
  std::string block = "|\n";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (!fits_a_block(line) || end == text.size()) return yaml_scalar(text) + "\n";
    block += fmt::format("  {}\n", line);
    begin = end + 1;
  }
  return block;
}

std::string yaml_comment(std::string_view text) {
  std::string rest = printable(text, 4000);
  remove_noncharacters(rest);
  std::string comment;
  while (rest.size() > kCommentWidth) {
    const std::size_t space = rest.rfind(' ', kCommentWidth);
    const std::size_t end = space == std::string::npos || space == 0 ? rest.find(' ', 1) : space;
    if (end == std::string::npos) break;
    comment += fmt::format("# {}\n", rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return comment + fmt::format("# {}\n", rest);
}

}  // namespace lapcast
