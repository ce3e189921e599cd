#include "report/stopwatch_report.h"

#include <algorithm>

#include "choose/run_metric.h"
#include "report/cells.h"
#include "suite/stopwatch_lines.h"

namespace lapcast {
namespace {

using Stage = StopwatchStage;

Table stage_table(const std::vector<StopwatchEntry>& entries) {
  const auto stage = [](Stage which) {
    return [which](const StopwatchEntry& e) { return mean_time(stage_seconds(e.runs, which)); };
  };
  const auto whole_run = [](const StopwatchEntry& entry) {
    return mean_time(values_of(entry.runs, parse_run_metric("time")).values);
  };
  const ColumnTraits bounds{.bounds = true};
  return table_of<StopwatchEntry>(
      "Stopwatch",
      {{"network", "network", &StopwatchEntry::network},
       {"device", "device", &StopwatchEntry::device},
       {"runs", "runs", [](auto& r) { return r.runs.size(); }},
       {"data_load_s", "data-load", stage(Stage::data_load), bounds},
       {"data_pre_process_s", "data-pre-process", stage(Stage::pre_process), bounds},
       {"compile_s", "compile", stage(Stage::compile), bounds},
       {"train_s", "train", stage(Stage::train), bounds},
       {"evaluate_s", "evaluate", stage(Stage::evaluate), bounds},
       {"total_s", "whole run", whole_run, {.bounds = true, .spare = 1}},
       {"reason", "why not", [](auto& r) { return text_cell(r.reason); }, {.optional = true}}},
      entries);
}

const StopwatchEntry* on_cpu(const std::vector<StopwatchEntry>& entries,
                             const std::string& network) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const StopwatchEntry& entry) {
    return entry.network == network && entry.device == "cpu" && !entry.runs.empty();
  });
  return found == entries.end() ? nullptr : &*found;
}

Cell speed_up(const StopwatchEntry& cpu, const StopwatchEntry& entry, Stage stage) {
  const auto result =
      percentage_speed_up(stage_seconds(cpu.runs, stage), stage_seconds(entry.runs, stage));
  if (!result) return {};
  if (&cpu == &entry) return Interval<double>::exactly(0);
  return result->interval.value_or(Interval<double>::exactly(result->percent));
}

Table speed_up_table(const std::vector<StopwatchEntry>& entries) {
  struct SpeedUpRow {
    const StopwatchEntry* cpu;
    const StopwatchEntry* entry;
  };
  std::vector<SpeedUpRow> rows;
  for (const StopwatchEntry& entry : entries)
    if (const auto* cpu = on_cpu(entries, entry.network); cpu != nullptr && !entry.runs.empty())
      rows.push_back({cpu, &entry});
  const auto of_stage = [](Stage stage) {
    return [stage](const SpeedUpRow& row) { return speed_up(*row.cpu, *row.entry, stage); };
  };
  Table table = table_of<SpeedUpRow>(
      "Speed-up in percent of the CPU's performance",
      {{"network", "network", [](auto& r) { return r.entry->network; }},
       {"device", "device", [](auto& r) { return r.entry->device; }},
       {"train_speed_up_percent", "training", of_stage(Stage::train), {.bounds = true}},
       {"evaluate_speed_up_percent", "testing", of_stage(Stage::evaluate), {.bounds = true}}},
      rows);
  table.notes = {
      "(T_cpu / T_x - 1) * 100 % of the stages train and evaluate, as in table 1 of [G]"};
  return table;
}

}  // namespace

std::vector<double> stage_seconds(const std::vector<Run>& runs, StopwatchStage stage) {
  std::vector<double> seconds;
  for (const Run& run : runs)
    if (const auto time = time_of(laps_of(run), stage)) seconds.push_back(time->time.count());
  return seconds;
}

std::string stopwatch_csv(const std::vector<StopwatchEntry>& entries, std::string_view user) {
  std::string lines(kStopwatchHeader);
  for (const StopwatchEntry& entry : entries)
    for (const Run& run : entry.runs)
      lines += stopwatch_lines(run, entry.network + " " + entry.device, user);
  return lines;
}

std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries) {
  return {stage_table(entries), speed_up_table(entries)};
}

}  // namespace lapcast
