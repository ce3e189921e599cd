#include "run/text_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace lapcast {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> digit_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr std::array<std::int8_t, 256> kValues = digit_values();

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Returns the bytes of the character at the front: 1 to 4, 0 when it is not valid. (Unicode 15
/// table 3-7)
std::size_t utf8_length(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte_at(text, 1) < low || byte_at(text, 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// Calls take() with each character outside of texts.
template <class Take>
void for_each_outside(std::string_view text, Take take) {
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text)
      take(c);
  }
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_length(bytes.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::size_t json_size(std::string_view text) {
  std::size_t size = 2;
  for (const char c : text) {
    const bool short_escape = c == '"' || c == '\\' || (c >= '\b' && c <= '\r' && c != '\v');
    const bool long_escape = static_cast<unsigned char>(c) < 0x20;
    size += short_escape ? 2 : long_escape ? 6 : 1;
  }
  return size;
}

std::size_t base64_size(std::size_t bytes) {
  return std::string_view(R"({"base64":""})").size() + (bytes + 2) / 3 * 4;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const unsigned group = byte_at(bytes, i) << 16 | (left > 1 ? byte_at(bytes, i + 1) << 8 : 0) |
                           (left > 2 ? byte_at(bytes, i + 2) : 0);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += left > 1 ? kDigits[group >> 6 & 63] : '=';
    text += left > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::string_view padded = text;
  while (text.size() + 2 > padded.size() && text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  const bool unused_bits_set = (bits & ((1u << count) - 1)) != 0;
  if (unused_bits_set || (bytes.size() + 2) / 3 * 4 != padded.size()) return std::nullopt;
  return bytes;
}

std::string last_lines(std::string_view text, int lines) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::size_t at = text.size();
  for (; lines > 0 && at > 0; --lines) {
    at = text.rfind('\n', at - 1);
    if (at == std::string_view::npos) return std::string(text);
  }
  return std::string(text.substr(std::min(at + 1, text.size())));
}

int json_depth(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for_each_outside(text, [&](char c) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  });
  return deepest;
}

std::int64_t json_values(std::string_view text) {
  std::int64_t values = 0;
  for_each_outside(text, [&](char c) { values += c == ',' || c == '{' || c == '['; });
  return values;
}

std::string escaped_controls(std::string json) {
  // 0x7F and 0xC2 occur within texts only: all else of JSON is ASCII without DEL.
  const auto found_from = [&](std::size_t begin) {
    const auto may_be_control = [](char c) { return c == '\x7F' || c == '\xC2'; };
    return static_cast<std::size_t>(std::find_if(json.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 json.end(), may_be_control) -
                                    json.begin());
  };
  std::size_t end = found_from(0);
  if (end == json.size()) return json;
  std::string result;
  for (std::size_t begin = 0;; end = found_from(begin)) {
    result.append(json, begin, end - begin);
    if (end == json.size()) return result;
    const unsigned next = end + 1 < json.size() ? static_cast<unsigned char>(json[end + 1]) : 0;
    const bool is_del = json[end] == '\x7F';
    const bool is_control = is_del || (next >= 0x80 && next < 0xA0);
    if (is_control)
      result += fmt::format("\\u{:04x}", is_del ? 0x7Fu : next);
    else
      result += json[end];
    begin = end + (is_control && !is_del ? 2 : 1);
  }
}

}  // namespace lapcast
