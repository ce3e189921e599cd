#include "suite/driver/suite_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "core/units.h"
#include "rank/comparison.h"
#include "report/cells.h"
#include "stats/intervals.h"
#include "stats/summary.h"
#include "stats/two_samples.h"
#include "suite/stopwatch/stopwatch.h"

namespace lapcast {
namespace {

std::string setting_names(const Workload& workload) {
  std::vector<std::string_view> names;
  for (const WorkloadSetting& setting : workload.settings) names.push_back(setting.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string plan_of(const Workload& workload) {
  if (workload.counts_queens()) return "N = " + workload.board_sizes;
  if (workload.searches_pictures()) return workload.image_sizes;
  return fmt::format("{} x {}", workload.batch, workload.epochs);
}

std::vector<ColumnOf<SuiteEntry>> suite_columns() {
  const auto of_workload = [](auto value) {
    return [value](const SuiteEntry& entry) { return cell_of(std::invoke(value, entry.workload)); };
  };
  const auto samples = [](std::int64_t DataMaker::*which) {
    return [which](const SuiteEntry& entry) { return cell_if(entry.workload.maker, which); };
  };
  const auto of_training = [of_workload](auto value) {
    return of_workload([value](const Workload& workload) {
      return workload.trains() ? cell_of(workload.*value) : Cell();
    });
  };
  return {
      {"name", "name", of_workload(&Workload::name)},
      {"source", "source", of_workload(&Workload::source)},
      {"network", "network", of_workload(&Workload::network), spare(5)},
      {"parameters", "parameters", of_workload(&Workload::parameters)},
      {"training", "loss / optimiser", of_workload(&Workload::training), spare(6)},
      {"data", "data", of_workload(&Workload::data), spare(4)},
      {"training_samples", "training", samples(&DataMaker::training_samples)},
      {"test_samples", "test", samples(&DataMaker::test_samples), spare(2)},
      {"", "batch x epochs", of_workload(plan_of)},
      {"batch", "", of_training(&Workload::batch)},
      {"epochs", "", of_training(&Workload::epochs)},
      {"board_sizes", "", of_workload([](auto& w) { return text_cell(w.board_sizes); })},
      {"image_sizes", "", of_workload([](auto& w) { return text_cell(w.image_sizes); })},
      {"setting_names", "settings",
       of_workload([](auto& w) { return text_cell(setting_names(w)); }), kOptional | spare(3)},
      {"accuracy", "accuracy", of_workload([](auto& w) { return share_cell(w.accuracy); }),
       kOptional | spare(1)},
      {"stopwatch", "stopwatch", of_workload(&Workload::stopwatch), spare(8)},
      {"built", "built", [](auto& r) { return !r.program.empty(); }},
      {"program", "program", [](auto& r) { return text_cell(r.program); }, kOptional | spare(7)}};
}

std::vector<double> values(const SuiteResult& result, std::string_view metric) {
  return values_of(result.runs, parse_run_metric(metric)).values;
}

/// Returns the precision of the mean wall time, after the reason why it is not better.
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
  const auto half_width = [](const SuiteResult& result) {
    const std::vector<double> times = values(result, "time");
    return times.size() > 1 ? Cell(Percentage{relative_half_width(mean_interval(times))}) : Cell();
  };
  return {{"workload", "workload", &SuiteResult::workload},
          {"settings", "settings", [](auto& r) { return Settings{r.settings}; }, kOptional},
          {"runs", "runs", [](auto& r) { return r.runs.size(); }},
          {"time_s", "time", mean("time"), kBounds},
          {"samples_per_second", "samples/s", mean("throughput"), kBounds},
          {"lap_s", "steady lap", mean("lap"), kBounds | spare(2)},
          {"accuracy", "accuracy", mean("accuracy"), kBounds | kOptional},
          {"training_accuracy", "training accuracy", mean("training-accuracy"),
           kBounds | kOptional | spare(4)},
          {"last_accuracy", "last accuracy", mean("last-accuracy"), kBounds | kOptional | spare(5)},
          {"last_training_accuracy", "last training accuracy", mean("last-training-accuracy"),
           kBounds | kOptional | spare(6)},
          {"val_loss", "val_loss", mean("val_loss"), kBounds | kOptional | spare(3)},
          {"cost_usd", "cost", mean("cost"), kBounds | kOptional},
          {"relative_half_width", "", half_width},
          {"reason", "", [](auto& r) { return text_cell(r.reason); }},
          {"", "how precise", precision_text, spare(1)},
          {"set", "set", &SuiteResult::set}};
}

/// Returns the seconds of a stage in each run that has it.
std::vector<double> stage_seconds(const std::vector<Run>& runs, StopwatchStage stage) {
  std::vector<double> seconds;
  for (const Run& run : runs)
    if (const auto time = time_of(*laps_of(run), stage)) seconds.push_back(time->time.count());
  return seconds;
}

Table stage_table(const std::vector<StopwatchEntry>& entries) {
  const auto stage = [](StopwatchStage which) {
    return [which](const StopwatchEntry& e) { return mean_time(stage_seconds(e.runs, which)); };
  };
  const auto whole_run = [](const StopwatchEntry& entry) {
    return mean_time(values_of(entry.runs, parse_run_metric("time")).values);
  };
  return table_of<StopwatchEntry>(
      "stages", "Stopwatch",
      {{"network", "network", &StopwatchEntry::network},
       {"device", "device", &StopwatchEntry::device},
       {"runs", "runs", [](auto& r) { return r.runs.size(); }},
       {"data_load_s", "data-load", stage(StopwatchStage::data_load), kBounds},
       {"data_pre_process_s", "data-pre-process", stage(StopwatchStage::pre_process), kBounds},
       {"compile_s", "compile", stage(StopwatchStage::compile), kBounds},
       {"train_s", "train", stage(StopwatchStage::train), kBounds},
       {"evaluate_s", "evaluate", stage(StopwatchStage::evaluate), kBounds},
       {"total_s", "whole run", whole_run, kBounds | spare(1)},
       {"reason", "why not", [](auto& r) { return text_cell(r.reason); }, kOptional}},
      entries);
}

/// Returns the entry with runs of a network on a device; nullptr if there is none.
const StopwatchEntry* entry_of(const std::vector<StopwatchEntry>& entries,
                               const std::string& network, const std::string& device) {
  const auto found = std::ranges::find_if(entries, [&](const StopwatchEntry& entry) {
    return entry.network == network && entry.device == device && !entry.runs.empty();
  });
  return found == entries.end() ? nullptr : &*found;
}

Cell speed_up(const StopwatchEntry& cpu, const StopwatchEntry& entry, StopwatchStage stage) {
  const auto result =
      percentage_speed_up(stage_seconds(cpu.runs, stage), stage_seconds(entry.runs, stage));
  if (!result) return {};
  if (&cpu == &entry) return Interval<double>::exactly(0);
  return result->interval.value_or(Interval<double>::exactly(result->percent));
}

/// Returns a percentage without interval and decimals, as the review prints it.
Cell whole(Cell percent) {
  const auto* figure = std::get_if<Interval<double>>(&percent);
  if (figure == nullptr || figure->low != figure->high) return percent;
  return Number{figure->mid, 0};
}

std::string how_speed_ups_are(const std::string& reference) {
  return fmt::format(
      "(T_{} / T_x - 1) * 100 % of the stages train and evaluate, as in table 1 of [G]",
      printable(reference, 60));
}

Table speed_up_table(const std::vector<StopwatchEntry>& entries, const std::string& reference) {
  struct SpeedUpRow {
    const StopwatchEntry* cpu;
    const StopwatchEntry* entry;
  };
  std::vector<SpeedUpRow> rows;
  for (const StopwatchEntry& entry : entries)
    if (const auto* cpu = entry_of(entries, entry.network, reference);
        cpu != nullptr && !entry.runs.empty())
      rows.push_back({cpu, &entry});
  const auto of_stage = [](StopwatchStage stage) {
    return [stage](const SpeedUpRow& row) { return speed_up(*row.cpu, *row.entry, stage); };
  };
  Table table = table_of<SpeedUpRow>(
      "speed_ups", "",
      {{"network", "network", [](auto& r) { return r.entry->network; }},
       {"device", "device", [](auto& r) { return r.entry->device; }},
       {"train_speed_up_percent", "training", of_stage(StopwatchStage::train), kBounds},
       {"evaluate_speed_up_percent", "testing", of_stage(StopwatchStage::evaluate), kBounds}},
      rows);
  table.only_json = true;
  table.notes = {how_speed_ups_are(reference)};
  return table;
}

/// Holds a row of the review's table, which has a column for each device.
struct ReviewRow {
  std::string network;
  StopwatchStage stage;
};

std::vector<ReviewRow> review_rows(const std::vector<StopwatchEntry>& entries) {
  std::vector<ReviewRow> rows;
  for (const StopwatchStage stage : {StopwatchStage::train, StopwatchStage::evaluate})
    for (const StopwatchEntry& entry : entries) {
      const auto is_there = [&](const ReviewRow& row) {
        return row.stage == stage && row.network == entry.network;
      };
      if (std::ranges::none_of(rows, is_there)) rows.push_back({entry.network, stage});
    }
  return rows;
}

Table review_table(const std::vector<StopwatchEntry>& entries, const std::string& reference) {
  using ReviewColumn = ColumnOf<ReviewRow>;
  std::vector<ReviewColumn> columns{
      {"network", "network", &ReviewRow::network},
      {"stage", "stage", [](auto& row) { return timer_name(row.stage); }}};
  const std::vector<std::string> devices = devices_of(entries);
  for (const std::string& device : devices) {
    const auto time = [&entries, device](const ReviewRow& row) {
      const StopwatchEntry* entry = entry_of(entries, row.network, device);
      return entry == nullptr ? Cell() : mean_time(stage_seconds(entry->runs, row.stage));
    };
    columns.push_back(ReviewColumn(device + "_s", device, time, kBounds));
  }
  for (const std::string& device : devices) {
    const auto percent = [&entries, &reference, device](const ReviewRow& row) {
      const StopwatchEntry* cpu = entry_of(entries, row.network, reference);
      const StopwatchEntry* entry = entry_of(entries, row.network, device);
      return cpu == nullptr || entry == nullptr ? Cell() : whole(speed_up(*cpu, *entry, row.stage));
    };
    const std::string header = fmt::format("{} over {}, %", device, reference);
    if (device != reference)
      columns.push_back(ReviewColumn(device + "_percent", header, percent, kBounds));
  }
  Table table = table_of("", fmt::format("Speed-up in percent over {}", printable(reference, 60)),
                         columns, review_rows(entries));
  table.notes = {how_speed_ups_are(reference)};
  return table;
}

}  // namespace

Table suite_table(const std::vector<SuiteEntry>& entries, const std::string& how_to_build) {
  Table table = table_of("workloads", "Suite", suite_columns(), entries);
  table.notes.push_back(
      "[C] Carneiro 2018, [G] Colab review 2021, [K] Kunas 2023, [L] Lawrence "
      "2017, [M] Malta 2021; lapcast help glossary has their titles");
  if (std::ranges::any_of(entries, [](auto& entry) { return entry.program.empty(); }))
    table.notes.push_back(how_to_build);
  return table;
}

Table suite_result_table(const std::vector<SuiteResult>& results) {
  Table table = table_of("suite_runs", "Suite runs", suite_result_columns(), results);
  table.notes.push_back(
      "means of whole runs with 95 % Student-t intervals; `lapcast compare SET "
      "SET` compares two sets");
  return table;
}

std::vector<std::string> devices_of(const std::vector<StopwatchEntry>& entries) {
  std::vector<std::string> devices;
  for (const StopwatchEntry& entry : entries)
    if (std::ranges::find(devices, entry.device) == devices.end()) devices.push_back(entry.device);
  return devices;
}

std::string stopwatch_csv(const std::vector<StopwatchEntry>& entries, std::string_view user) {
  std::string lines(kStopwatchHeader);
  for (const StopwatchEntry& entry : entries)
    for (const Run& run : entry.runs)
      lines += stopwatch_lines(run, entry.network + " " + entry.device, user);
  return lines;
}

std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries,
                                    const std::string& reference) {
  return {stage_table(entries), speed_up_table(entries, reference),
          review_table(entries, reference)};
}

}  // namespace lapcast
