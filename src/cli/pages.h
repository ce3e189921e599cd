#pragma once

#include <span>
#include <string_view>

namespace lapcast {

/// Holds a page of docs, which `lapcast help NAME` prints.
struct Page {
  std::string_view name;  // "fleet-file"
  std::string_view text;  // Markdown
};

/// Returns the pages that are part of the binary, in the order of their folders and names.
std::span<const Page> pages();

}  // namespace lapcast
