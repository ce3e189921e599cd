#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lapcast {

/// Text that JSON may hold as it is: valid UTF-8 (RFC 3629: no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

/// Returns how many bytes UTF-8 text has in JSON, where a control character takes up to 6.
std::size_t json_size(std::string_view text);
/// Returns how many bytes {"base64": "..."} has for so many bytes.
std::size_t base64_size(std::size_t bytes);

/// RFC 4648 section 4, with padding.
std::string to_base64(std::string_view bytes);
/// None for anything but the canonical output of to_base64().
std::optional<std::string> from_base64(std::string_view text);

}  // namespace lapcast
