#include "run/json_texts.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr std::size_t kTextPiece = 1 << 16;  // bytes that are written or read at once
constexpr std::size_t kNone = std::string_view::npos;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/// Returns the place of the quote that ends the text whose first character is at `begin`.
std::size_t end_of_text(std::string_view json_text, std::size_t begin) {
  std::size_t at = begin;
  while ((at = json_text.find_first_of("\"\\", at)) != kNone && json_text[at] == '\\') at += 2;
  return at;
}

std::size_t behind_space(std::string_view json_text, std::size_t at) {
  return std::min(json_text.find_first_not_of(" \t\r\n", at), json_text.size());
}

/// Returns the place after the bracket that opens the list `key` of an object; kNone if there is
/// none.
std::size_t begin_of_list(std::string_view object, std::string_view key) {
  int depth = 0;
  for (std::size_t at = 0; at < object.size(); ++at) {
    const char c = object[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t end = end_of_text(object, at + 1);
    if (end == kNone) return kNone;
    const bool is_wanted = depth == 1 && object.substr(at + 1, end - at - 1) == key;
    at = end;
    const std::size_t colon = behind_space(object, end + 1);
    if (!is_wanted || !object.substr(colon).starts_with(':')) continue;
    const std::size_t bracket = behind_space(object, colon + 1);
    return object.substr(bracket).starts_with('[') ? bracket + 1 : kNone;
  }
  return kNone;
}

/// Returns how much of an escaped text is read at once, so that no escape and no pair of surrogates
/// is split.
std::size_t piece_of(std::string_view escaped) {
  std::size_t at = 0;
  bool behind_escape = false;
  while (at < escaped.size()) {
    const char c = escaped[at];
    const bool is_plain = c != '\\' && static_cast<unsigned char>(c) < 0x80;
    if (at >= kTextPiece && is_plain && !behind_escape) return at;
    behind_escape = c == '\\';
    at += c == '\\' ? 2 : 1;
    if (behind_escape && at - 1 < escaped.size() && escaped[at - 1] == 'u') at += 4;
  }
  return escaped.size();
}

/// Returns the text of what is between the quotes; nothing if it is not JSON.
std::optional<std::string> unescaped(std::string_view escaped) {
  std::string text;
  text.reserve(escaped.size());
  while (!escaped.empty()) {
    const std::string_view piece = escaped.substr(0, piece_of(escaped));
    std::string quoted;
    quoted.reserve(piece.size() + 2);
    quoted.append(1, '"').append(piece).append(1, '"');
    const json node = json::parse(quoted, nullptr, false);
    if (!node.is_string()) return std::nullopt;
    text += node.get_ref<const std::string&>();
    escaped.remove_prefix(piece.size());
  }
  return text;
}

}  // namespace

void write_json_text(std::string_view text, const TakeText& take) {
  take("\"");
  while (!text.empty()) {
    std::size_t size = std::min(text.size(), kTextPiece);
    while (size < text.size() && size > 0 && continues_character(text[size])) --size;
    const std::string piece = json(text.substr(0, size)).dump();
    take(escaped_controls(piece.substr(1, piece.size() - 2)));
    text.remove_prefix(size);
  }
  take("\"");
}

std::optional<ShortenedJson> without_long_texts(std::string_view object, std::string_view key) {
  if (object.size() <= kTextPiece) return std::nullopt;
  std::size_t at = begin_of_list(object, key);
  if (at == kNone) return std::nullopt;
  ShortenedJson shortened{std::string(object.substr(0, at)), {}};
  std::size_t kept_until = at;
  bool any = false;
  for (at = behind_space(object, at); object.substr(at).starts_with('"');) {
    const std::size_t end = end_of_text(object, at + 1);
    if (end == kNone) return std::nullopt;
    std::string& taken = shortened.taken.emplace_back();
    if (const auto escaped = object.substr(at + 1, end - at - 1); escaped.size() > kTextPiece) {
      auto text = unescaped(escaped);
      if (!text) return std::nullopt;
      taken = *std::move(text);
      shortened.text.append(object.substr(kept_until, at + 1 - kept_until));
      kept_until = end;
      any = true;
    }
    at = behind_space(object, end + 1);
    if (object.substr(at).starts_with(',')) at = behind_space(object, at + 1);
  }
  // Of two lists with the same name, the last one counts.
  const bool is_whole =
      object.substr(at).starts_with(']') && object.find('"' + std::string(key) + '"', at) == kNone;
  if (!any || !is_whole) return std::nullopt;
  shortened.text.append(object.substr(kept_until));
  return shortened;
}

}  // namespace lapcast
