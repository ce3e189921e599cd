#pragma once

#include <optional>
#include <string_view>

namespace lapcast {

/// Parses a moment as tools write it, in seconds since 1970: "2026-11-20T12:00:00Z", with a blank
/// in place of the T or slashes in the date (nvidia-smi), with parts of a second, and with an
/// offset from UTC ("+00:00", "-0500") in place of the Z. A moment without an offset is of a clock
/// that is `ahead_s` seconds ahead of UTC. Returns nullopt for any other text, for times that do
/// not exist, and outside 1970 to 2200.
std::optional<double> parse_moment(std::string_view text, double ahead_s = 0);

}  // namespace lapcast
