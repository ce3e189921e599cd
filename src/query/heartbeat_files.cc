#include "query/heartbeat_files.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/units.h"
#include "query/input_files.h"
#include "spot/heartbeat.h"

namespace lapcast {

SoakLog read_heartbeats(const std::vector<std::string>& files) {
  SoakLog log;
  std::vector<HeartbeatLog> logs;
  for (const std::string& file : files) {
    logs.push_back(parse_heartbeats(read_file(file, "heartbeats")));
    log.damaged_lines += logs.back().damaged_lines;
  }
  log.record = sessions_of(logs);
  if (log.record.machines.empty())
    throw Error(ExitCode::bad_input, fmt::format("there is no heartbeat in {}; lapcast soak writes "
                                                 "them",
                                                 printable(files.front())));
  return log;
}

}  // namespace lapcast
