// Checks that `lapcast import` refuses any line with a one-line reason, or reads it. A run that is
// read is written and read again unchanged, and its laps can be read.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "run/repair.h"
#include "run/run_json.h"

static void require(bool holds) {
  if (!holds) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const lapcast::Result<lapcast::Run> run = lapcast::run_from_json_line(line);
  if (!run) {
    require(!run.error().text.empty());
    require(run.error().text.find_first_of("\n\r\x1b") == std::string::npos);
    return 0;
  }
  const std::string written = lapcast::to_json_line(*run);
  require(written.find('\n') == std::string::npos);
  const lapcast::Result<lapcast::Run> again = lapcast::run_from_json_line(written);
  require(again.has_value() && *again == *run && lapcast::to_json_line(*again) == written);
  *lapcast::laps_of(*run);
  lapcast::Run repaired = *run;
  lapcast::repair(repaired, {2026, 11, 22});
  require(lapcast::repair(repaired, {2026, 11, 22}).empty());
  require(!lapcast::why_not_kept(repaired) && repaired.wall().count() >= 0);
  lapcast::filled_program(run->context);
  lapcast::describe(run->outcome);
  return 0;
}
