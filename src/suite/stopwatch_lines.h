#pragma once

#include <string>
#include <string_view>

#include "run/run.h"

namespace lapcast {

inline constexpr std::string_view kStopwatchHeader =
    "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version\n";

/// Returns the lines of the review's stopwatch for one run, without the header: one line for each
/// of the five stages that its log has. `tag` names network and device, `user` who measures. time
/// and sum are seconds to the microsecond, start is UTC. `lapcast import stopwatch` reads them
/// back.
std::string stopwatch_lines(const Run& run, std::string_view tag, std::string_view user);

}  // namespace lapcast
