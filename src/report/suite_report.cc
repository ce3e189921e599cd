#include "report/suite_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "choose/run_metric.h"
#include "core/units.h"
#include "report/mean_cell.h"
#include "report/table_cell.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

std::string setting_names(const Workload& workload) {
  std::string names;
  for (const WorkloadSetting& setting : workload.settings)
    names += (names.empty() ? "" : ", ") + setting.name;
  return names;
}

std::string plan_of(const Workload& workload) {
  if (workload.counts_queens()) return "N = " + workload.board_sizes;
  return fmt::format("{} x {}", workload.batch, workload.epochs);
}

std::vector<Cell> row_of(const SuiteEntry& entry) {
  const Workload& workload = entry.workload;
  const bool found = !entry.program.empty();
  std::vector<Cell> row{workload.name,
                        workload.source,
                        workload.network,
                        cell_of(workload.parameters),
                        workload.training,
                        workload.data};
  if (workload.maker)
    row.insert(row.end(), {workload.maker->training_samples, workload.maker->test_samples});
  else
    row.resize(row.size() + 2);
  row.push_back(plan_of(workload));
  row.push_back(setting_names(workload).empty() ? Cell() : Cell(setting_names(workload)));
  row.push_back(workload.accuracy ? Cell(Percentage{*workload.accuracy}) : Cell());
  row.push_back(workload.stopwatch);
  row.push_back(found);
  row.push_back(found ? Cell(entry.program) : Cell());
  return row;
}

/// How good the mean of the wall times is, in words; the reason why it is no better comes first.
std::string precision_text(const SuiteResult& result, const std::vector<double>& times) {
  const double width = relative_half_width(mean_interval(times));
  std::string text = result.reason;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (times.size() > 1) add(fmt::format("+-{}", format_share(width)));
  if (judge_repeats(times, result.rule) == Repeats::not_precise)
    add(fmt::format("wider than +-{} after {} runs, the most", format_share(result.rule.precision),
                    times.size()));
  if (times.size() == 1) add("one run: no interval");
  return text;
}

std::vector<double> values(const SuiteResult& result, std::string_view metric) {
  return values_of(result.runs, parse_run_metric(metric)).values;
}

std::vector<Cell> row_of(const SuiteResult& result) {
  const std::vector<double> times = values(result, "time");
  return {result.workload,
          result.settings,
          static_cast<std::int64_t>(result.runs.size()),
          mean_time(times),
          mean_number(values(result, "throughput")),
          mean_time(values(result, "lap")),
          mean_number(values(result, "accuracy")),
          mean_number(values(result, "val_loss")),
          mean_number(values(result, "cost")),
          precision_text(result, times),
          result.set};
}

}  // namespace

Table suite_table(const std::vector<SuiteEntry>& entries, const std::string& how_to_build) {
  Table table{"Suite",
              {},
              {{"name", "name"},
               {"source", "source"},
               {.key = "network", .header = "network", .spare = 5},
               {"parameters", "parameters"},
               {.key = "training", .header = "loss / optimiser", .spare = 6},
               {.key = "data", .header = "data", .spare = 4},
               {"training_samples", "training"},
               {.key = "test_samples", .header = "test", .spare = 2},
               {"plan", "batch x epochs"},
               {.key = "settings", .header = "settings", .optional = true, .spare = 3},
               {.key = "accuracy", .header = "accuracy", .optional = true, .spare = 1},
               {.key = "stopwatch", .header = "stopwatch", .spare = 8},
               {"built", "built"},
               {.key = "program", .header = "program", .optional = true, .spare = 7}},
              {},
              {}};
  for (const SuiteEntry& entry : entries) table.rows.push_back(row_of(entry));
  table.notes.push_back("[C] Carneiro 2018, [G] Colab review 2021, [K] Kunas 2023, [L] Lawrence "
                        "2017, [M] Malta 2021; docs/suite.md has their titles");
  const bool missing = std::any_of(entries.begin(), entries.end(),
                                   [](const SuiteEntry& entry) { return entry.program.empty(); });
  if (missing) table.notes.push_back(how_to_build);
  return table;
}

Table suite_result_table(const std::vector<SuiteResult>& results) {
  Table table{"Suite runs",
              {},
              {{"workload", "workload"},
               {.key = "settings", .header = "settings", .optional = true},
               {"runs", "runs"},
               {"time_s", "time", true},
               {.key = "samples_per_second", .header = "samples/s", .bounds = true},
               {.key = "lap_s", .header = "steady lap", .bounds = true, .spare = 2},
               {.key = "accuracy", .header = "accuracy", .bounds = true, .optional = true},
               {.key = "val_loss", .header = "val_loss", .bounds = true, .optional = true,
                .spare = 3},
               {.key = "cost_usd", .header = "cost USD", .bounds = true, .optional = true},
               {.key = "precision", .header = "how precise", .spare = 1},
               {"set", "set"}},
              {},
              {}};
  for (const SuiteResult& result : results) table.rows.push_back(row_of(result));
  table.notes.push_back("means of whole runs with 95 % Student-t intervals; `lapcast compare SET "
                        "SET` compares two sets");
  return table;
}

}  // namespace lapcast
