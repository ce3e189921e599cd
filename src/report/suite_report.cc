#include "report/suite_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "choose/run_metric.h"
#include "core/units.h"
#include "report/cells.h"
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

std::vector<ColumnOf<SuiteEntry>> suite_columns() {
  const auto of_workload = [](auto value) {
    return [value](const SuiteEntry& entry) { return cell_of(std::invoke(value, entry.workload)); };
  };
  const auto samples = [](std::int64_t DataMaker::*which) {
    return [which](const SuiteEntry& entry) {
      return entry.workload.maker ? Cell((*entry.workload.maker).*which) : Cell();
    };
  };
  return {{"name", "name", of_workload(&Workload::name)},
          {"source", "source", of_workload(&Workload::source)},
          {"network", "network", of_workload(&Workload::network), {.spare = 5}},
          {"parameters", "parameters", of_workload(&Workload::parameters)},
          {"training", "loss / optimiser", of_workload(&Workload::training), {.spare = 6}},
          {"data", "data", of_workload(&Workload::data), {.spare = 4}},
          {"training_samples", "training", samples(&DataMaker::training_samples)},
          {"test_samples", "test", samples(&DataMaker::test_samples), {.spare = 2}},
          {"plan", "batch x epochs", of_workload(plan_of)},
          {"settings",
           "settings",
           of_workload([](auto& w) { return text_cell(setting_names(w)); }),
           {.optional = true, .spare = 3}},
          {"accuracy",
           "accuracy",
           of_workload([](auto& w) { return share_cell(w.accuracy); }),
           {.optional = true, .spare = 1}},
          {"stopwatch", "stopwatch", of_workload(&Workload::stopwatch), {.spare = 8}},
          {"built", "built", [](auto& r) { return !r.program.empty(); }},
          {"program",
           "program",
           [](auto& r) { return text_cell(r.program); },
           {.optional = true, .spare = 7}}};
}

std::vector<double> values(const SuiteResult& result, std::string_view metric) {
  return values_of(result.runs, parse_run_metric(metric)).values;
}

/// Says how precise the mean of the wall times is; the reason why it is no better comes first.
std::string precision_text(const SuiteResult& result) {
  const std::vector<double> times = values(result, "time");
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

std::vector<ColumnOf<SuiteResult>> suite_result_columns() {
  const auto mean = [](std::string_view name) {
    return [name](const SuiteResult& result) {
      return mean_of(parse_run_metric(name), values(result, name));
    };
  };
  return {
      {"workload", "workload", &SuiteResult::workload},
      {"settings", "settings", &SuiteResult::settings, {.optional = true}},
      {"runs", "runs", [](auto& r) { return r.runs.size(); }},
      {"time_s", "time", mean("time"), {.bounds = true}},
      {"samples_per_second", "samples/s", mean("throughput"), {.bounds = true}},
      {"lap_s", "steady lap", mean("lap"), {.bounds = true, .spare = 2}},
      {"accuracy", "accuracy", mean("accuracy"), {.bounds = true, .optional = true}},
      {"val_loss", "val_loss", mean("val_loss"), {.bounds = true, .optional = true, .spare = 3}},
      {"cost_usd", "cost USD", mean("cost"), {.bounds = true, .optional = true}},
      {"precision", "how precise", precision_text, {.spare = 1}},
      {"set", "set", &SuiteResult::set}};
}

}  // namespace

Table suite_table(const std::vector<SuiteEntry>& entries, const std::string& how_to_build) {
  Table table = table_of("Suite", suite_columns(), entries);
  table.notes.push_back(
      "[C] Carneiro 2018, [G] Colab review 2021, [K] Kunas 2023, [L] Lawrence "
      "2017, [M] Malta 2021; docs/suite.md has their titles");
  const bool missing = std::any_of(entries.begin(), entries.end(),
                                   [](const SuiteEntry& entry) { return entry.program.empty(); });
  if (missing) table.notes.push_back(how_to_build);
  return table;
}

Table suite_result_table(const std::vector<SuiteResult>& results) {
  Table table = table_of("Suite runs", suite_result_columns(), results);
  table.notes.push_back(
      "means of whole runs with 95 % Student-t intervals; `lapcast compare SET "
      "SET` compares two sets");
  return table;
}

}  // namespace lapcast
