#include "remote/recovered_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "posix/private_files.h"
#include "probe/lap_folder.h"
#include "remote/probe_lines.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCutOff = "its machine was switched off, or lapcast was killed there";

/// The newest of the run's own folders: a run that was begun anew has several.
fs::path newest_run_folder(const fs::path& root) {
  fs::path newest;
  fs::file_time_type newest_time{};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    if (!entry.path().filename().string().starts_with("lapcast-run-")) continue;
    const fs::file_time_type time = entry.last_write_time(ignored);
    if (newest.empty() || time > newest_time) newest = entry.path();
    newest_time = std::max(newest_time, time);
  }
  return newest;
}

/// The clock of the last line "B CLOCK": when the program was started.
MonotonicNs start_of(const RecordFolder& folder) {
  LineBuffer lines;
  lines.append(read_private_file(folder.record_file()));
  MonotonicNs start = 0;
  while (const auto line = lines.next())
    if (line->starts_with("B ")) start = std::strtoll(line->c_str() + 2, nullptr, 10);
  return start;
}

Run what_is_left(const RecordFolder& folder, const RemoteRequest& request) {
  Run run = run_not_started(request.probe.context, kCutOff);
  run.preparation = request.preparation;
  run.warnings = request.warnings;
  const fs::path run_folder = newest_run_folder(folder.root());
  if (run_folder.empty()) return run;
  LapFolder laps(run_folder / "laps", request.probe.limits.max_log_bytes);
  laps.finish();
  const LapLog& log = laps.log();
  if (log.laps.empty() || !log.hello) return run;
  const MonotonicNs start = start_of(folder);
  run.started_ns = start > 0 ? std::min(start, log.hello->clock_ns) : log.hello->clock_ns;
  run.ended_ns = log.hello->clock_ns + log.last_ns;
  run.warnings = laps.warnings();
  run.outcome =
      outcome::BudgetSpent{fmt::format("cut off after {} laps: {}", log.laps.size(), kCutOff)};
  run.lap_logs = std::move(laps).take_texts();
  return run;
}

}  // namespace

bool salvage(const RecordFolder& folder) {
  auto writer = RecordWriter::open(folder);
  if (!writer) return folder.is_finished();
  const Result<RemoteRequest> request = folder.request();
  if (!request) return false;
  return writer->finish(what_is_left(folder, *request));
}

}  // namespace lapcast
