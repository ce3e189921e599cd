#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lapcast {

/// Returns true for valid UTF-8 (RFC 3629: no overlong forms, no surrogates), which JSON requires.
bool is_utf8(std::string_view bytes);

/// Returns how many bytes UTF-8 text takes in JSON, with quotes and escapes.
std::size_t json_size(std::string_view text);
/// Returns how many bytes {"base64":"..."} takes for a text of that many bytes.
std::size_t base64_size(std::size_t bytes);

/// Returns the last `lines` lines of a text, or all when it has fewer, without final line breaks.
std::string last_lines(std::string_view text, int lines);

/// Returns the text in base64 (RFC 4648 section 4), with padding.
std::string to_base64(std::string_view bytes);
/// Returns the bytes of a base64 text; nothing for a text that to_base64() cannot have made.
std::optional<std::string> from_base64(std::string_view text);

/// Returns how deep brackets nest in a JSON text, without those in strings. Callers should refuse a
/// text that is too deep before parsing it.
int json_depth(std::string_view text);

/// Returns an upper bound of the number of values in a JSON text: the commas and opening brackets
/// outside of strings. Callers should refuse a text with too many before parsing it, because each
/// value takes memory.
std::int64_t json_values(std::string_view text);

/// Returns the JSON text with DEL and the C1 control characters escaped, which JSON allows but
/// terminals act upon.
std::string escaped_controls(std::string json);

}  // namespace lapcast
