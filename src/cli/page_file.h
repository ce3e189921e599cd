#pragma once

#include <filesystem>
#include <string>

#include "cli/commands.h"

namespace lapcast {

/// Returns the command line as it was typed, without secrets.
std::string typed_line(const Globals& globals);

/// Says whether a file may be written through a link.
enum class Links { own, none };

/// Returns the absolute path of a file to write. Follows a link of this user, so that its target is
/// replaced and not the link. Throws Error (system_failed) if the file cannot be written, or is a
/// link of another user, or any link with Links::none: call this before anything is computed.
std::filesystem::path checked_output(const std::string& file, Links links = Links::own);

/// Replaces the file in one step; only the user can read it. Throws Error (system_failed).
void write_output(const std::filesystem::path& file, const std::string& text);

/// Says on stderr that the charts of the page are plain drawings if this lapcast has no Plotly.
void say_if_plain(const Globals& globals);

}  // namespace lapcast
