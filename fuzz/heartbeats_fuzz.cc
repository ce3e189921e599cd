// Checks that any bytes are heartbeats with damaged lines. What is understood is written and read
// back unchanged, and the lengths of its sessions add up.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "report/soak_report.h"
#include "spot/heartbeat.h"
#include "spot/sessions.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const lapcast::HeartbeatLog log = lapcast::parse_heartbeats(text);
  std::string written;
  for (const auto& heartbeat : log.heartbeats) written += lapcast::heartbeat_line(heartbeat);
  require(lapcast::parse_heartbeats(written).heartbeats == log.heartbeats);
  const std::vector<lapcast::HeartbeatLog> logs{log, log};
  const lapcast::SoakRecord record = lapcast::sessions_of(logs);
  for (const lapcast::SoakedMachine& machine : record.machines) {
    for (const lapcast::Session& session : machine.sessions) require(session.length.count() >= 0);
    const lapcast::Availability known = lapcast::availability_of(machine);
    require(known.held <= known.wanted);
    for (const lapcast::SurvivalStep& step : known.lasting)
      require(step.survival.low <= step.survival.mid && step.survival.mid <= step.survival.high);
  }
  std::ostringstream out;
  lapcast::write(lapcast::soak_tables(record, log.damaged_lines), lapcast::Format::json, {}, out);
  return 0;
}
