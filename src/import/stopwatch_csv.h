#pragma once

#include <string>
#include <string_view>

#include "import/imported.h"

namespace lapcast {

/// Reads the lines that cloudmesh's stopwatch prints: "#
/// csv,timer,status,time,sum,start,tag,uname.node, user,uname.system,platform.version", with or
/// without that header, among other output or alone. Timers become stages; one called train or
/// training is the run's only lap. A timer that comes again, another tag or another node is another
/// run.
ImportedLog import_stopwatch_csv(std::string_view text, const std::string& source);

}  // namespace lapcast
