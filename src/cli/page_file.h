#pragma once

#include <filesystem>
#include <string>

#include "cli/commands.h"

namespace lapcast {

// Pages that commands write.

/// Returns the command line as it was typed, without secrets.
std::string typed_line(const Globals& globals);

/// Returns the absolute path of a file to write; a link is followed, so that the file is replaced
/// and not the link. Throws Error (system_failed) when it cannot be written: call this before
/// anything is computed.
std::filesystem::path checked_output(const std::string& file);

/// Replaces the file in one step; only the user can read it. Throws Error (system_failed).
void write_output(const std::filesystem::path& file, const std::string& text);

/// Says on stderr that the charts of the page are plain drawings, where this lapcast has no Plotly.
void say_if_plain(const Globals& globals);

}  // namespace lapcast
