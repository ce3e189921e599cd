#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cli/pages.h"

namespace lapcast {

/// Names a section of a page, so that `lapcast help NAME` prints it alone. The names of former
/// pages that became sections stay here, because programs and people know them.
struct Subject {
  std::string_view name;     // "race"
  std::string_view page;     // "measuring"
  std::string_view heading;  // of any level, without its marks
};

/// Returns the subjects in order of name.
std::span<const Subject> subjects();

/// Returns the section of Markdown below this heading, up to the next heading of the same or a
/// higher level; empty if the text has no such heading.
std::string_view section_of(std::string_view markdown, std::string_view heading);

/// Returns the text of the page or subject of this name, which may be written as "fleet-file",
/// "fleet-file.md" or "docs/fleet-file.md".
std::optional<std::string_view> help_text(std::span<const Page> pages, std::string_view name);

}  // namespace lapcast
