#include "accuracy/run_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/imported.h"

namespace lapcast::accuracy {
namespace {

constexpr std::size_t kMostRuns = 200'000;
constexpr std::size_t kMostEvents = 300'000;    // per run
constexpr std::size_t kMostProgress = 100'000;  // lines per run
constexpr double kLongestRun = static_cast<double>(kLongestRunNs) * 1e-9;

std::optional<MllogUnit> unit_named(std::string_view name) {
  if (name == "epoch") return MllogUnit::epoch;
  if (name == "block") return MllogUnit::block;
  if (name == "eval") return MllogUnit::between_evaluations;
  return std::nullopt;
}

/// Returns the key of the events that are used. Time 0 is the begin of a run, whose end must stay
/// unknown.
MllogKey key_named(std::string_view name) {
  constexpr std::pair<std::string_view, MllogKey> kKeys[] = {
      {"epoch_start", MllogKey::epoch_start}, {"train_epoch", MllogKey::epoch_start},
      {"epoch_stop", MllogKey::epoch_stop},   {"block_start", MllogKey::block_start},
      {"block_stop", MllogKey::block_stop},   {"eval_start", MllogKey::eval_start},
      {"eval_stop", MllogKey::eval_stop},     {"eval_accuracy", MllogKey::eval_accuracy}};
  for (const auto& [known, key] : kKeys) {
    if (known == name) return key;
  }
  return MllogKey::other;
}

double positive(std::string_view cell) {
  const double value = number(cell).value_or(0);
  return value > 0 && value < 1e15 ? value : 0;
}

/// Converts milliseconds to a possible time of a run, or returns nothing.
std::optional<double> seconds_of(std::string_view cell) {
  const auto ms = number(cell);
  if (!ms || std::abs(*ms) * 1e-3 > kLongestRun) return std::nullopt;
  return *ms * 1e-3;
}

void take_run(CsvTable::Cells cells, LoggedRuns& runs, Dropped& dropped) {
  const auto total = number(cells[8]);
  if (cells[0].empty()) return dropped.add("runs.csv: a row without a run_id");
  if (!total || !(*total > 0) || *total > kLongestRun)
    return dropped.add("runs.csv: a run without a total time");
  if (runs.runs.size() >= kMostRuns) return dropped.add("runs.csv: more runs than are read");
  if (!runs.by_id.emplace(std::string(cells[0]), runs.runs.size()).second)
    return dropped.add("runs.csv: a run_id that was there before");
  LoggedRun& run = runs.runs.emplace_back();
  run.id = cells[0];
  run.round = cells[1];
  run.submitter = cells[2];
  run.system = cells[3];
  run.benchmark = cells[4];
  run.family = cells[5];
  run.framework = cells[6];
  run.global_batch = positive(cells[7]);
  run.total = Seconds{*total};
  run.train_samples = positive(cells[9]);
  run.unit = unit_named(cells[10]);
  run.units = positive(cells[11]);
  run.accelerators = positive(cells[12]) * std::max(1.0, positive(cells[13]));
}

void take_event(CsvTable::Cells cells, LoggedRuns& runs, Dropped& dropped) {
  MllogEvent event;
  event.key = key_named(cells[2]);
  if (event.key == MllogKey::other && cells[2] != "run_stop") return;
  LoggedRun* run = runs.find(cells[0]);
  if (run == nullptr) return dropped.add("events.csv: an event of a run that is not in runs.csv");
  if (event.key == MllogKey::other) {
    run->was_aborted = !cells[5].empty() && cells[5] != "success";
    return;
  }
  const auto at = seconds_of(cells[1]);
  if (!at) return dropped.add("events.csv: an event without a time");
  if (run->events.size() >= kMostEvents)
    return dropped.add("events.csv: more events of one run than are read");
  event.time_ns = std::llround(*at * 1e9);
  event.epoch = number(cells[3]);
  event.epoch_count = positive(cells[4]);
  event.value = number(cells[5]);
  run->events.push_back(std::move(event));
}

void take_progress(CsvTable::Cells cells, LoggedRuns& runs, Dropped& dropped) {
  LoggedRun* run = runs.find(cells[0]);
  if (run == nullptr) return dropped.add("iters.csv: a line of a run that is not in runs.csv");
  const auto at = seconds_of(cells[2]);
  const auto iteration = number(cells[4]);
  const double reported = positive(cells[5]);
  if (!at || !iteration || !(*iteration >= 0 && *iteration < 1e15) || reported == 0)
    return dropped.add("iters.csv: a line without a time, an iteration or a speed");
  if (run->progress.empty()) run->progress_kind = cells[1];
  if (run->progress_kind != cells[1])
    return dropped.add("iters.csv: a line of another kind than the run's first");
  if (run->progress.size() >= kMostProgress)
    return dropped.add("iters.csv: more lines of one run than are read");
  const double epoch = number(cells[3]).value_or(-1);
  run->progress.push_back({Seconds{*at},
                           epoch >= 0 && epoch < 1e9 ? static_cast<std::int64_t>(epoch) : -1,
                           static_cast<std::int64_t>(*iteration), reported});
}

using TakeRow = void (*)(CsvTable::Cells, LoggedRuns&, Dropped&);

CsvTable table(std::vector<std::string> columns, TakeRow take, LoggedRuns& runs, Dropped& dropped) {
  return {std::move(columns),
          [take, &runs, &dropped](CsvTable::Cells cells) { take(cells, runs, dropped); }};
}

}  // namespace

CsvTable run_table(LoggedRuns& runs, Dropped& dropped) {
  return table({"run_id", "round", "submitter", "system", "benchmark", "hw_family", "framework",
                "global_batch", "total_s", "train_samples", "unit_kind", "units_done",
                "acc_per_node", "nodes"},
               take_run, runs, dropped);
}

CsvTable event_table(LoggedRuns& runs, Dropped& dropped) {
  return table({"run_id", "t_ms", "key", "epoch", "count", "value"}, take_event, runs, dropped);
}

void drop_uneven_evaluations(LoggedRuns& runs, Dropped& dropped) {
  for (LoggedRun& run : runs.runs) {
    const auto count = [&run](MllogKey key) {
      return std::count_if(run.events.begin(), run.events.end(),
                           [key](const MllogEvent& event) { return event.key == key; });
    };
    const auto begins = count(MllogKey::eval_start), results = count(MllogKey::eval_accuracy);
    if (begins == 0 || 10 * begins >= 9 * results) continue;
    dropped.add("events.csv: a run's evaluations that have a begin where others have none");
    std::erase_if(run.events, [](const MllogEvent& event) {
      return event.key == MllogKey::eval_start || event.key == MllogKey::eval_stop;
    });
  }
}

CsvTable progress_table(LoggedRuns& runs, Dropped& dropped) {
  return table({"run_id", "kind", "t_ms", "epoch", "iter_in_epoch_or_global", "reported"},
               take_progress, runs, dropped);
}

}  // namespace lapcast::accuracy
