#include "rank/repeat_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "core/units.h"
#include "energy/training_energy.h"
#include "history/assessment.h"
#include "run/attempts.h"
#include "run/run_cost.h"
#include "run/settings.h"
#include "stats/holm.h"
#include "stats/summary.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

/// Lists the metrics by which every pair of groups is tested, with their values.
constexpr std::array<std::pair<const char*, std::vector<double> RepeatRow::*>, 6> kTested{
    {{"time", &RepeatRow::times},
     {"accuracy", &RepeatRow::accuracies},
     {"training-accuracy", &RepeatRow::training_accuracies},
     {"last-accuracy", &RepeatRow::last_accuracies},
     {"last-training-accuracy", &RepeatRow::last_training_accuracies},
     {"test-time", &RepeatRow::test_times}}};

std::vector<double> RepeatRow::*values_by(const RunMetric& metric) {
  const auto found =
      std::ranges::find_if(kTested, [&](const auto& one) { return one.first == metric.name; });
  return found == kTested.end() ? &RepeatRow::times : found->second;
}

RepeatRow row_of(const RepeatGroup& group, std::span<const Offer> offers) {
  RepeatRow row;
  for (const Run& run : group.runs) {
    if (run.context.warm_up) {
      ++row.warm_ups;
      continue;
    }
    for (const RunMetric& metric : tested_metrics())
      if (const auto value = value_of(run, metric)) (row.*values_by(metric)).push_back(*value);
    if (const Result<Money> cost = cost_of_run(run, offers))
      row.costs.push_back(cost->dollars());
    else if (row.why_no_cost.empty())
      row.why_no_cost = cost.error().text;
    if (const auto power = power_of_run(run); power && power->source != EnergySource::predicted)
      row.joules.push_back(power->watts.mid * time_of_attempts(run).count());
  }
  return row;
}

/// Returns the index of the group of the same work with these settings but device=cpu on that
/// machine type; nullopt if the settings have no device=cuda.
std::optional<std::size_t> on_cores_of(std::span<const RepeatGroup> groups,
                                       const std::string& machine_type, const RepeatGroup& gpu) {
  constexpr std::string_view kGpu = "device=cuda";
  std::string settings = gpu.settings;
  const std::size_t at = settings.find(kGpu);
  if (at == std::string::npos || machine_type.empty()) return std::nullopt;
  settings.replace(at, kGpu.size(), "device=cpu");
  const auto found = std::ranges::find_if(groups, [&](const RepeatGroup& group) {
    return group.machine_type == machine_type && group.settings == settings &&
           group.work.is_like(gpu.work);
  });
  if (found == groups.end()) return std::nullopt;
  return static_cast<std::size_t>(found - groups.begin());
}

std::optional<double> cost_efficiency_over(const RepeatRow& baseline, const RepeatRow& row) {
  if (baseline.costs.empty() || row.costs.empty() || !(mean(baseline.costs) > 0))
    return std::nullopt;
  return 1 - mean(row.costs) / mean(baseline.costs);
}

/// Tests every pair of groups that both have the metric.
std::vector<RepeatTest> tests_of(std::span<const RepeatRow> rows, const RunMetric& metric) {
  std::vector<RepeatTest> tests;
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = a + 1; b < rows.size(); ++b) {
      const std::vector<double>& first = rows[a].*values_by(metric);
      const std::vector<double>& second = rows[b].*values_by(metric);
      if (first.empty() || second.empty()) continue;
      tests.push_back({metric, a, b, compare(first, second, metric), std::nullopt});
    }
  std::vector<double> p_values;
  for (const RepeatTest& test : tests)
    if (test.comparison.test) p_values.push_back(test.comparison.test->p_value);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  auto next = adjusted.begin();
  for (RepeatTest& test : tests)
    if (test.comparison.test) test.adjusted_p = *next++;
  return tests;
}

/// Says how much worse the mean of `value` is than that of `best`: "2.1 times as long", "12 %
/// lower".
std::string how_much_worse(double best, double value, const RunMetric& metric) {
  const double ratio = metric.larger_is_better ? best / value : value / best;
  if (metric.kind == RunMetric::Kind::accuracy)
    return fmt::format("{:.3g} points lower", 100 * (best - value));
  return ratio >= 1.5 ? fmt::format("{:.3g} times as long", ratio)
                      : fmt::format("{} {}", format_share(ratio - 1), metric.worse);
}

/// Sets what distinguishes the works of groups with the same machine type and settings; a number if
/// nothing does.
void name_trainings(std::vector<RepeatGroup>& groups) {
  std::map<std::pair<std::string, std::string>, std::vector<RepeatGroup*>> alike;
  for (RepeatGroup& group : groups) alike[{group.machine_type, group.settings}].push_back(&group);
  for (const auto& [name, members] : alike) {
    std::vector<TrainingWork> works;
    for (const RepeatGroup* group : members) works.push_back(group->work);
    const std::vector<std::string> texts = differences(works);
    for (std::size_t i = 0; i < members.size(); ++i) {
      members[i]->training = texts[i];
      const auto before =
          std::ranges::count(texts.begin(), texts.begin() + std::ptrdiff_t(i), texts[i]);
      if (before > 0)
        members[i]->training += fmt::format("{}({})", texts[i].empty() ? "" : " ", before + 1);
    }
  }
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const std::vector<RunMetric>& tested_metrics() {
  static const std::vector<RunMetric> metrics = [] {
    std::vector<RunMetric> all;
    for (const auto& [name, values] : kTested) all.push_back(parse_run_metric(name));
    return all;
  }();
  return metrics;
}

std::string name_of(const RepeatGroup& group) {
  std::string name = group.machine_type;
  for (const std::string& part : {group.settings, group.training})
    if (!part.empty()) name += " " + part;
  return name;
}

std::vector<RepeatGroup> repeat_groups(std::span<const Run> runs) {
  std::vector<RepeatGroup> groups;
  for (const Run& run : runs) {
    if (run.context.kind != RunKind::full || !is_whole_training(run)) continue;
    const std::string settings = settings_of_set(run.context);
    TrainingWork work = work_of(run);
    const auto same = [&](const RepeatGroup& group) {
      return group.machine_type == run.context.machine_type.name && group.settings == settings &&
             group.work.is_like(work);
    };
    auto found = std::ranges::find_if(groups, same);
    if (found == groups.end())
      found = groups.insert(found,
                            {run.context.machine_type.name, settings, {}, "", std::move(work), ""});
    found->runs.push_back(run);
  }
  name_trainings(groups);
  for (RepeatGroup& group : groups)
    std::ranges::stable_sort(
        group.runs, {}, [](const Run& run) -> auto& { return run.context.started_at; });
  return groups;
}

RepeatSummary summarise_repeats(std::span<const RepeatGroup> groups, std::size_t baseline,
                                std::span<const Offer> offers, const std::string& server) {
  RepeatSummary summary{.rows = {}, .baseline = baseline, .tests = {}};
  for (const RepeatGroup& group : groups) summary.rows.push_back(row_of(group, offers));
  for (RepeatRow& row : summary.rows) {
    row.speed_up = speed_up(summary.rows.at(baseline).times, row.times);
    row.cost_efficiency = cost_efficiency_over(summary.rows.at(baseline), row);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const RepeatGroup& group = groups[i];
    RepeatRow& row = summary.rows[i];
    row.expectation =
        linear_expectation(summary.rows[baseline].times, cores_times_clock(groups[baseline].runs),
                           row.times, cores_times_clock(group.runs));
    if (const auto cores = on_cores_of(groups, group.machine_type, group))
      row.over_cores = speed_up(summary.rows[*cores].times, row.times);
    if (const auto cores = on_cores_of(groups, server, group))
      row.over_server = speed_up(summary.rows[*cores].times, row.times);
  }
  for (const RunMetric& metric : tested_metrics())
    for (RepeatTest& test : tests_of(summary.rows, metric))
      summary.tests.push_back(std::move(test));
  return summary;
}

std::vector<std::string> words_of_tests(const RepeatSummary& summary, const RunMetric& metric,
                                        std::span<const std::string> names) {
  const auto mean_of_row = [&](std::size_t i) { return mean(summary.rows[i].*values_by(metric)); };
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < summary.rows.size(); ++i)
    if (!(summary.rows[i].*values_by(metric)).empty()) known.push_back(i);
  if (known.size() < 2) return {};
  const auto best_of = [&](auto order) {
    return *std::ranges::min_element(known, order, mean_of_row);
  };
  const std::size_t best = metric.larger_is_better
                               ? best_of([](double a, double b) { return a > b; })
                               : best_of([](double a, double b) { return a < b; });
  std::vector<std::string> alike, worse, untested;
  for (const std::size_t i : known) {
    if (i == best) continue;
    const auto test = std::ranges::find_if(summary.tests, [&](const RepeatTest& one) {
      return one.metric.name == metric.name && one.a == std::min(i, best) &&
             one.b == std::max(i, best);
    });
    const std::string& name = names[i];
    if (test == summary.tests.end() || !test->adjusted_p)
      untested.push_back(name);
    else if (*test->adjusted_p >= kSignificant)
      alike.push_back(name);
    else
      worse.push_back(
          fmt::format("{} ({})", name, how_much_worse(mean_of_row(best), mean_of_row(i), metric)));
  }
  std::vector<std::string> words{fmt::format("{}: {} has the best mean", metric.name, names[best])};
  if (!worse.empty()) words.push_back("worse, and not by chance: " + joined(worse));
  if (!alike.empty()) words.push_back("not told apart from it: " + joined(alike));
  if (!untested.empty()) words.push_back("not tested (one run, or no spread): " + joined(untested));
  return words;
}

}  // namespace lapcast
