#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lapcast {

/// Returns whether a lap log has laps. The text is not parsed: that of a day of laps is long.
bool has_lap_lines(std::string_view log);

/// Returns the name of the emitter that writes laps from lines of output. Laps that another
/// `expression` found, or a `whole` run that is one lap, have another name.
std::string emitter_of_lines(std::string_view expression, bool whole);

/// Returns what kind of thing the laps of a run are, as far as the emitter of its logs tells: its
/// name without the version; empty where no log has laps. Laps that the program reports are
/// preferred to those from its output. Laps of different kinds may count steps, epochs or lines, so
/// they cannot be compared. The texts are not parsed.
std::string kind_of_laps(std::span<const std::string> lap_logs);

}  // namespace lapcast
