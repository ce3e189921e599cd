#pragma once

#include <filesystem>
#include <string>

#include "cli/commands.h"

namespace lapcast {

// Pages that commands write.

/// Returns the command line as it was typed, without secrets.
std::string typed_line(const Globals& globals);

/// Says whether a file may be written through a link.
enum class Links { own, none };

/// Returns the absolute path of a file to write; a link of this user is followed, so that the file
/// is replaced and not the link. Throws Error (system_failed) when it cannot be written, or is a
/// link of another user or any where `links` says so: call this before anything is computed.
std::filesystem::path checked_output(const std::string& file, Links links = Links::own);

/// Replaces the file in one step; only the user can read it. Throws Error (system_failed).
void write_output(const std::filesystem::path& file, const std::string& text);

/// Says on stderr that the charts of the page are plain drawings, where this lapcast has no Plotly.
void say_if_plain(const Globals& globals);

}  // namespace lapcast
