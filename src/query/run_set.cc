#include "query/run_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "core/units.h"
#include "history/assessment.h"
#include "history/linear_expectation.h"
#include "history/training_work.h"
#include "run/settings.h"

namespace lapcast {
namespace {

using Filters = std::map<std::string, std::set<std::string>>;

struct Named {
  std::set<std::string> sweeps;
  std::set<std::string> runs;
  Filters filters;
  bool all() const { return sweeps.empty() && runs.empty(); }
};

Named parse(const Store& store, const std::string& text) {
  Named named;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    const std::size_t equals = part.find('=');
    if (part.empty() || equals == 0)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' is not a set of runs: write ids or KEY=VALUE with "
                              "commas between them",
                              printable(text, 100)));
    if (equals != std::string::npos) {
      named.filters[part.substr(0, equals)].insert(part.substr(equals + 1));
      continue;
    }
    if (const auto sweep = store.find_sweep(part))
      named.sweeps.insert(sweep->id);
    else
      named.runs.insert(store.get(part).context.id);
  }
  if (named.all() && named.filters.empty())
    throw Error(ExitCode::usage, "a set of runs must not be empty; give an id or KEY=VALUE");
  return named;
}

/// Returns the value of a key; nullopt if a run has no such setting.
std::optional<std::string> value_of(const Run& run, const std::string& key) {
  const RunContext& context = run.context;
  if (key == "machine") return context.machine_type.name;
  if (key == "kind") return std::string(to_string(context.kind));
  if (key == "program") return program_name(context);
  const auto setting = context.settings.find(key);
  if (setting == context.settings.end()) return std::nullopt;
  return setting->second;
}

/// Returns the differences between the works of runs; empty if all are alike.
std::string unlike_works(const std::vector<Run>& runs) {
  std::vector<TrainingWork> works;
  for (const Run& run : runs) {
    TrainingWork work = work_of(run);
    if (std::ranges::none_of(works, [&](auto& other) { return other.is_like(work); }))
      works.push_back(std::move(work));
  }
  if (works.size() < 2) return "";
  std::vector<std::string> texts = differences(works);
  std::ranges::replace(texts, "", "the others");
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool fits(const Run& run, const Filters& filters, std::set<std::string>& known_keys) {
  bool all = true;
  for (const auto& [key, values] : filters) {
    const auto value = value_of(run, key);
    if (value) known_keys.insert(key);
    all = all && value && values.contains(*value);
  }
  return all;
}

}  // namespace

std::vector<Run> runs_named(const Store& store, const std::string& text) {
  const Named named = parse(store, text);
  std::vector<Run> result;
  std::set<std::string> known_keys{"machine", "kind", "program"};
  for (const RunSummary& summary : store.list()) {
    if (!named.all() && !named.runs.contains(summary.id) && !named.sweeps.contains(summary.sweep))
      continue;
    Run run = store.get(summary.id);
    if (fits(run, named.filters, known_keys)) result.push_back(std::move(run));
  }
  for (const auto& [key, values] : named.filters)
    if (!known_keys.contains(key))
      throw Error(ExitCode::usage, fmt::format("no run has a setting '{}'; besides settings there "
                                               "are program, machine and kind",
                                               printable(key, 60)));
  return result;
}

std::string program_name(const RunContext& context) {
  if (context.program.empty()) return "";
  return std::filesystem::path(context.program.front()).filename().string();
}

ComparedSet compared_set(const std::string& name, const std::vector<Run>& runs,
                         const RunMetric& metric) {
  ComparedSet set{name, {}, values_of(runs, metric), {}, cores_times_clock(runs)};
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    const std::string program = program_name(context);
    const std::string settings = settings_of_set(context);
    const std::string text = fmt::format("{} on {}{}{}", program, context.machine_type.name,
                                         settings.empty() ? "" : " ", settings);
    if (std::ranges::find(set.about, text) == set.about.end()) set.about.push_back(text);
  }
  set.unlike = unlike_works(runs);
  return set;
}

}  // namespace lapcast
