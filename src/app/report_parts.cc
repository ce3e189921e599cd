#include "app/report_parts.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "app/fleet_repeats.h"
#include "app/forecast_run.h"
#include "app/run_set.h"
#include "app/soak.h"
#include "choose/comparison.h"
#include "choose/epochs_assessment.h"
#include "choose/repeat_summary.h"
#include "report/forecast_report.h"
#include "report/queens_report.h"
#include "report/repeat_report.h"
#include "report/run_document.h"
#include "report/soak_report.h"
#include "report/suite_report.h"
#include "run/secrets.h"
#include "stats/intervals.h"
#include "suite/stopwatch.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the name that a set of runs was given.
std::string subject_of(const Sweep& set) {
  const auto description = nlohmann::json::parse(set.description, nullptr, false);
  if (!description.is_object()) return "";
  const auto subject = description.find("subject");
  return subject != description.end() && subject->is_string() ? subject->get<std::string>() : "";
}

/// Returns the runs of each set, in the order of their first runs. Imported runs belong to none.
std::vector<std::pair<Sweep, std::vector<Run>>> sets_of(const Store& store,
                                                        std::span<const Run> runs) {
  std::vector<std::pair<Sweep, std::vector<Run>>> sets;
  std::map<std::string, std::optional<std::size_t>> index;  // nothing: a sweep, which is not a set
  for (const Run& run : runs) {
    const std::string& id = run.context.sweep;
    if (id.empty() || was_imported(run.context)) continue;
    const auto [known, is_new] = index.try_emplace(id);
    if (!is_new) {
      if (known->second) sets[*known->second].second.push_back(run);
      continue;
    }
    const auto sweep = store.sweep(id);
    if (!sweep || !sweep->fleet_file.empty()) continue;
    known->second = sets.size();
    sets.push_back({*sweep, {run}});
  }
  return sets;
}

/// Leaves only the runs that ended; returns how the last of the others did not, empty without one.
std::string leave_ended(std::vector<Run>& runs) {
  std::string reason;
  std::erase_if(runs, [&](const Run& run) {
    const bool ended = std::holds_alternative<outcome::Ended>(run.outcome);
    if (!ended) reason = shown_outcome(run);
    return !ended;
  });
  return reason;
}

bool is_of_stopwatch(const RunContext& context) {
  return std::ranges::find(context.program, "--evaluate") != context.program.end();
}

/// Returns the runs of a set of `lapcast stopwatch`, which is called "mnist-mlp cpu".
StopwatchEntry stopwatch_entry(const Sweep& set, std::vector<Run> runs) {
  const std::string subject = subject_of(set);
  const std::size_t space = subject.find(' ');
  StopwatchEntry entry{.network = subject.substr(0, space), .reason = leave_ended(runs)};
  if (space != subject.npos) entry.device = stopwatch_device(subject.substr(space + 1));
  entry.runs = std::move(runs);
  return entry;
}

/// Adds the boards of a set: one, or where it is of a fleet one for each machine type and size.
void add_boards(const Sweep& set, const std::vector<Run>& runs, std::vector<QueensRuns>& boards) {
  if (!is_fleet_set(set)) {
    boards.push_back(*board_of(runs.front().context));
    return add_results(boards.back(), runs);
  }
  for (const RepeatGroup& group : repeat_groups(runs)) {
    auto board = board_of(group.runs.front().context);
    if (!board) continue;
    board->machine = group.machine_type;
    add_results(*board, group.runs);
    boards.push_back(*std::move(board));
  }
}

SuiteResult suite_result(const Sweep& set, std::vector<Run> runs) {
  SuiteResult result{subject_of(set), settings_of_set(runs.front().context), set.id};
  result.reason = leave_ended(runs);
  result.runs = std::move(runs);
  return result;
}

/// Returns the groups of repeated runs of each program. The same words in another folder may be
/// another program.
std::vector<std::vector<RepeatGroup>> repeated_programs(std::span<const Run> runs) {
  std::map<std::pair<std::vector<std::string>, std::string>, std::vector<Run>> programs;
  for (const Run& run : runs)
    if (!was_imported(run.context))
      programs[{run.context.program, run.context.working_dir}].push_back(run);
  std::vector<std::vector<RepeatGroup>> all;
  for (const auto& [program, members] : programs) {
    std::vector<RepeatGroup> groups = repeat_groups(members);
    // Which group ran first is chance.
    std::ranges::sort(groups, {}, [](const RepeatGroup& group) { return name_of(group); });
    const auto is_repeated = [](const RepeatGroup& group) {
      return std::ranges::count_if(group.runs, [](auto& run) { return !run.context.warm_up; }) > 1;
    };
    if (std::ranges::any_of(groups, is_repeated)) all.push_back(std::move(groups));
  }
  return all;
}

Json times_of(const std::vector<RepeatGroup>& groups) {
  const RunMetric time = parse_run_metric("time");
  Json values = Json::array();
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const Run& run : groups[i].runs)
      if (const auto value = value_of(run, time))
        values.push_back({{"group", i + 1},
                          {"run", run.context.id},
                          {"time_s", *value},
                          {"warm_up", run.context.warm_up}});
  return values;
}

Json fan_of(const EpochsRow& row) {
  Json points = Json::array();
  for (const CurvePoint& point : row.assessment.curve.points)
    points.push_back({{"epoch", point.epochs}, {"value", point.value}});
  Json fan{{"run", row.run->context.id}, {"metric", row.goal.metric}, {"points", points}};
  if (row.goal.target) fan["target"] = *row.goal.target;
  return fan;
}

}  // namespace

std::optional<Json> suite_part(const Store& store, std::span<const Run> runs) {
  std::vector<SuiteResult> results;
  std::vector<QueensRuns> boards;
  std::vector<StopwatchEntry> stages;
  for (auto& [set, members] : sets_of(store, runs)) {
    if (board_of(members.front().context)) {
      add_boards(set, members, boards);
    } else if (is_fleet_set(set)) {
      continue;  // repeats_part() has it
    } else if (is_of_stopwatch(members.front().context)) {
      stages.push_back(stopwatch_entry(set, std::move(members)));
    } else {
      results.push_back(suite_result(set, std::move(members)));
    }
  }
  if (results.empty() && boards.empty() && stages.empty()) return std::nullopt;
  std::vector<Table> tables;
  if (!results.empty()) tables.push_back(suite_result_table(results));
  if (!boards.empty())
    for (Table& table : queens_tables(boards)) tables.push_back(std::move(table));
  if (!stages.empty())
    for (Table& table : stopwatch_tables(stages)) tables.push_back(std::move(table));
  return json_of(std::move(tables), "suite run");
}

std::optional<Json> epochs_part(const Store& store, std::span<const Run> runs,
                                const TrainingGoal& goal) {
  const std::vector<Run> others = store.runs();
  std::vector<EpochsRow> rows;
  for (const Run& run : runs)
    if (learning_curve(laps_of(run), goal.metric))
      rows.push_back({&run, goal, assess_epochs(run, {.goal = goal}, others)});
  if (rows.empty()) return std::nullopt;
  Json part = json_of(epochs_tables(rows, describe(goal)), "epochs");
  part["fans"] = Json::array();
  for (const EpochsRow& row : rows) part["fans"].push_back(fan_of(row));
  return part;
}

Json repeats_part(std::span<const Run> runs, std::span<const Offer> offers) {
  Json parts = Json::array();
  for (const std::vector<RepeatGroup>& groups : repeated_programs(runs)) {
    const RepeatSummary summary = summarise_repeats(groups, 0, offers);
    Json part = json_of(
        repeat_tables(groups.front().runs.front().context.sweep, groups, summary, RepeatRule{}),
        "repeat");
    part["names"] = Json::array();
    for (const RepeatGroup& group : groups) part["names"].push_back(name_of(group));
    part["values"] = times_of(groups);
    parts.push_back(std::move(part));
  }
  return parts;
}

Json soak_part(const std::vector<std::string>& files) {
  const SoakLog log = read_heartbeats(files);
  return json_of(soak_tables(log.record, log.damaged_lines), "soak report");
}

}  // namespace lapcast
