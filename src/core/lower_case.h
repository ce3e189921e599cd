#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns the text with the letters A to Z in lower case.
std::string lower_case(std::string_view text);

/// Returns the letters A to Z, in lower case, and the digits of a text: "A100 SXM4-80GB" is
/// "a100sxm480gb".
std::string letters_and_digits(std::string_view text);

}  // namespace lapcast
