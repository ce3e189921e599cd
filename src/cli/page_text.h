#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lapcast {

/// Returns a page of docs as a terminal of so many columns shows it: prose and lists are wrapped,
/// tables are laid out so that they fit, headings are bold where there are colours, and links say
/// which page to ask for. No line is wider than `width`, which is at least 40.
std::string page_text(std::string_view markdown, std::size_t width, bool colour);

}  // namespace lapcast
