#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lapcast {

/// Formats a page of docs for a terminal: wraps prose and lists, fits tables to the width, makes
/// headings bold if there are colours, and says which page to ask for at links. No line is wider
/// than `width`, which is at least 40.
std::string page_text(std::string_view markdown, std::size_t width, bool colour);

}  // namespace lapcast
