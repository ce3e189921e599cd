#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lapcast {

/// Returns whether JSON may hold the text as it is: valid UTF-8 (RFC 3629: no overlong forms, no
/// surrogates).
bool is_utf8(std::string_view bytes);

/// Returns how many bytes UTF-8 text has in JSON, where a control character takes up to 6.
std::size_t json_size(std::string_view text);
/// Returns how many bytes {"base64": "..."} takes for that many bytes.
std::size_t base64_size(std::size_t bytes);

/// Returns the last lines of a text, at most that many, without a final line break.
std::string last_lines(std::string_view text, int lines);

/// Returns the text in base64 (RFC 4648 section 4), with padding.
std::string to_base64(std::string_view bytes);
/// Returns the bytes of a base64 text; none for anything but the output of to_base64().
std::optional<std::string> from_base64(std::string_view text);

/// Returns how many brackets are open at once, at most, without those within texts. Text that is
/// too deep has to be refused before it is parsed.
int json_depth(std::string_view text);

/// Returns how many values the text has at most: its commas and opening brackets, but for those
/// within texts. Each takes memory beyond its bytes when it is parsed.
std::int64_t json_values(std::string_view text);

/// Returns the JSON text with DEL and the C1 controls escaped: JSON allows them, but they mean
/// something to terminals.
std::string escaped_controls(std::string json);

}  // namespace lapcast
