#include "suite/driver/suite_page_part.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/fleet_repeats.h"
#include "rank/repeat_summary.h"
#include "report/run_document.h"
#include "run/secrets.h"
#include "run/settings.h"
#include "suite/driver/queens_report.h"
#include "suite/driver/suite_report.h"
#include "suite/stopwatch/stopwatch.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the subject in a set's description; empty if there is none.
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
  std::map<std::string, std::optional<std::size_t>> index;  // nullopt: not a set but a sweep
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

/// Removes the runs that did not end; returns the outcome of the last of them, empty without one.
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

/// Returns the runs of a set of `lapcast stopwatch`, whose name is like "mnist-mlp cpu".
StopwatchEntry stopwatch_entry(const Sweep& set, std::vector<Run> runs) {
  const std::string subject = subject_of(set);
  const std::size_t space = subject.find(' ');
  StopwatchEntry entry{.network = subject.substr(0, space), .reason = leave_ended(runs)};
  if (space != subject.npos) entry.device = stopwatch_device(subject.substr(space + 1));
  entry.runs = std::move(runs);
  return entry;
}

/// Adds the boards of a set: one, or for a fleet one for each machine type and size.
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

}  // namespace

std::optional<Json> suite_part(const Store& store, std::span<const Run> runs) {
  std::vector<SuiteResult> results;
  std::vector<QueensRuns> boards;
  std::vector<StopwatchEntry> stages;
  for (auto& [set, members] : sets_of(store, runs)) {
    if (members.front().context.settings.contains(kPieceSetting)) {
      continue;  // no board, but pieces of one
    } else if (board_of(members.front().context)) {
      add_boards(set, members, boards);
    } else if (is_fleet_set(set)) {
      continue;  // repeats_part() includes it
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

}  // namespace lapcast
