#include "report/stopwatch_report.h"

#include <algorithm>

#include "choose/run_metric.h"
#include "report/mean_cell.h"

namespace lapcast {
namespace {

using Stage = StopwatchStage;

Table stage_table(const std::vector<StopwatchEntry>& entries) {
  Table table{"Stopwatch",
              {},
              {{"network", "network"},
               {"device", "device"},
               {"runs", "runs"},
               {"data_load_s", "data-load", true},
               {"data_pre_process_s", "data-pre-process", true},
               {"compile_s", "compile", true},
               {"train_s", "train", true},
               {"evaluate_s", "evaluate", true},
               {.key = "total_s", .header = "whole run", .bounds = true, .spare = 1},
               {.key = "reason", .header = "why not", .optional = true}},
              {},
              {}};
  const RunMetric time = parse_run_metric("time");
  for (const StopwatchEntry& entry : entries) {
    std::vector<Cell> row{entry.network, entry.device, static_cast<std::int64_t>(entry.runs.size())};
    for (const Stage stage : kStopwatchStages)
      row.push_back(mean_time(stage_seconds(entry.runs, stage)));
    row.push_back(mean_time(values_of(entry.runs, time).values));
    row.push_back(entry.reason.empty() ? Cell() : Cell(entry.reason));
    table.rows.push_back(std::move(row));
  }
  return table;
}

const StopwatchEntry* on_cpu(const std::vector<StopwatchEntry>& entries,
                             const std::string& network) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const StopwatchEntry& entry) {
    return entry.network == network && entry.device == "cpu" && !entry.runs.empty();
  });
  return found == entries.end() ? nullptr : &*found;
}

Cell speed_up(const StopwatchEntry& cpu, const StopwatchEntry& entry, Stage stage) {
  const auto result = percentage_speed_up(stage_seconds(cpu.runs, stage),
                                          stage_seconds(entry.runs, stage));
  if (!result) return {};
  if (&cpu == &entry) return Interval<double>::exactly(0);
  return result->interval.value_or(Interval<double>::exactly(result->percent));
}

Table speed_up_table(const std::vector<StopwatchEntry>& entries) {
  Table table{"Speed-up in percent of the CPU's performance",
              {},
              {{"network", "network"},
               {"device", "device"},
               {"train_speed_up_percent", "training", true},
               {"evaluate_speed_up_percent", "testing", true}},
              {},
              {"(T_cpu / T_x - 1) * 100 % of the stages train and evaluate, as in table 1 of [G]"}};
  for (const StopwatchEntry& entry : entries) {
    const StopwatchEntry* cpu = on_cpu(entries, entry.network);
    if (cpu == nullptr || entry.runs.empty()) continue;
    table.rows.push_back({entry.network, entry.device, speed_up(*cpu, entry, Stage::train),
                          speed_up(*cpu, entry, Stage::evaluate)});
  }
  return table;
}

}  // namespace

std::vector<double> stage_seconds(const std::vector<Run>& runs, StopwatchStage stage) {
  std::vector<double> seconds;
  for (const Run& run : runs)
    if (const auto time = time_of(laps_of(run), stage)) seconds.push_back(time->time.count());
  return seconds;
}

std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries) {
  return {stage_table(entries), speed_up_table(entries)};
}

}  // namespace lapcast
