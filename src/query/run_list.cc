#include "query/run_list.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "run/run.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

/// Returns an outcome without the precision of its laps: an earlier version may have counted laps
/// that share observations separately. `show` computes it again; a list has no time for that.
std::string without_precision(const std::string& outcome) {
  return outcome.substr(0, precision_at(outcome));
}

/// Describes a sweep or a set of repeated runs, with a summary of its runs.
struct SweepRowOfList {
  Sweep sweep;
  std::int64_t runs = 0;
  std::string program;  // of its first run
};

std::vector<SweepRowOfList> sweep_rows_of(const Store& store) {
  std::map<std::string, std::pair<std::int64_t, std::string>> of_sweep;
  for (const RunSummary& run : store.list()) {
    auto& [runs, program] = of_sweep[run.sweep];
    if (runs++ == 0) program = run.program;
  }
  std::vector<SweepRowOfList> rows;
  for (Sweep& sweep : store.sweeps()) {
    const auto& [runs, program] = of_sweep[sweep.id];
    rows.push_back({std::move(sweep), runs, program});
  }
  return rows;
}

}  // namespace

Table run_list(const std::vector<RunSummary>& runs) {
  return table_of<RunSummary>(
      "runs", "Runs",
      {{"run", "run", &RunSummary::id},
       {"started_at", "started", &RunSummary::started_at, spare(2)},
       {"kind", "kind", [](auto& run) { return to_string(run.kind); }, spare(3)},
       {"machine_type", "machine", &RunSummary::machine_type},
       {"settings", "settings", [](auto& run) { return Settings{masked_text(run.settings)}; }},
       {"program", "program", [](auto& run) { return masked_text(run.program); }},
       {"outcome", "", &RunSummary::outcome_kind},
       {"outcome_text", "outcome",
        [](auto& run) { return masked_text(without_precision(run.outcome)); }},
       {"sweep", "sweep", &RunSummary::sweep, spare(4)},
       {"tag", "tag", &RunSummary::tag, kOptional},
       {"folder", "folder", &RunSummary::folder, kOptional | spare(5)}},
      runs);
}

Table sweep_list(const Store& store) {
  const auto of_sweep = [](auto value) {
    return [value](const SweepRowOfList& row) { return row.sweep.*value; };
  };
  return table_of<SweepRowOfList>(
      "sweeps", "Sweeps",
      {{"sweep", "sweep", of_sweep(&Sweep::id)},
       {"name", "name", of_sweep(&Sweep::name), kOptional},
       {"created_at", "begun", of_sweep(&Sweep::created_at), spare(2)},
       {"fleet_file", "fleet", of_sweep(&Sweep::fleet_file), kOptional | spare(1)},
       {"runs", "runs", &SweepRowOfList::runs},
       {"finished", "finished", of_sweep(&Sweep::finished)},
       {"program", "program", [](auto& row) { return masked_text(row.program); }},
       {"folder", "folder", of_sweep(&Sweep::folder), kOptional | spare(3)}},
      sweep_rows_of(store));
}

}  // namespace lapcast
