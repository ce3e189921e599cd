#include "pages/report_parts.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "campaign/fleet_repeats.h"
#include "history/epochs_assessment.h"
#include "query/forecast_run.h"
#include "query/heartbeat_files.h"
#include "query/run_set.h"
#include "rank/comparison.h"
#include "rank/repeat_summary.h"
#include "report/forecast_report.h"
#include "report/repeat_report.h"
#include "report/run_document.h"
#include "report/soak_report.h"
#include "run/secrets.h"
#include "run/settings.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the groups of repeated runs of each program. The same command in another folder may be
/// another program.
std::vector<std::vector<RepeatGroup>> repeated_programs(std::span<const Run> runs) {
  std::map<std::pair<std::vector<std::string>, std::string>, std::vector<Run>> programs;
  for (const Run& run : runs)
    if (!was_imported(run.context))
      programs[{run.context.program, run.context.working_dir}].push_back(run);
  std::vector<std::vector<RepeatGroup>> all;
  for (const auto& [program, members] : programs) {
    std::vector<RepeatGroup> groups = repeat_groups(members);
    // The order in which groups ran is arbitrary.
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

std::optional<Json> epochs_part(const Store& store, std::span<const Run> runs,
                                const TrainingGoal& goal) {
  const std::vector<Run> others = store.runs();
  std::vector<EpochsRow> rows;
  for (const Run& run : runs)
    if (learning_curve(*laps_of(run), goal.metric))
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
