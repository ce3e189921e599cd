#include "choose/run_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <variant>

#include "choose/assessment.h"
#include "core/units.h"
#include "forecast/early_stopping.h"
#include "forecast/lap_profile.h"
#include "forecast/learning_curve.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

using Kind = RunMetric::Kind;

const std::vector<RunMetric>& known_metrics() {
  static const std::vector<RunMetric> metrics{
      {Kind::time, "time", "s", "faster", "slower", false},
      {Kind::lap, "lap", "s", "faster", "slower", false},
      {Kind::first_lap, "first-lap", "s", "faster", "slower", false},
      {Kind::init, "init", "s", "faster", "slower", false},
      {Kind::throughput, "throughput", "samples/s", "faster", "slower", true},
      {Kind::accuracy, "accuracy", "", "higher", "lower", true},
      {Kind::memory, "memory", "bytes", "smaller", "larger", false},
      {Kind::cost, "cost", "USD", "cheaper", "dearer", false}};
  return metrics;
}

bool is_a_word(std::string_view name) {
  return !name.empty() && name.size() <= 60 && printable(name) == name &&
         name.find_first_of(" ,=") == std::string_view::npos;
}

bool is_named_as_share(std::string_view name) {
  if (smaller_is_better(name)) return false;
  constexpr std::array kShares{"accuracy", "acc",  "f1",  "precision", "recall", "auc",
                               "top1",     "top5", "iou", "miou",      "dice"};
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kShares.begin(), kShares.end(), [&](std::string_view share) {
    for (std::size_t at = lower.find(share); at != lower.npos; at = lower.find(share, at + 1)) {
      const std::size_t end = at + share.size();
      const bool begins = at == 0 || !std::isalnum(static_cast<unsigned char>(lower[at - 1]));
      const bool ends =
          end == lower.size() || !std::isalnum(static_cast<unsigned char>(lower[end]));
      if (begins && ends) return true;
    }
    return false;
  });
}

RunMetric reported(std::string_view name) {
  const bool loss = smaller_is_better(name);
  return {
      Kind::reported, std::string(name), "", loss ? "lower" : "higher", loss ? "higher" : "lower",
      !loss};
}

Result<double> time_of(const Run& run) {
  if (run.context.kind == RunKind::probe) return because("it was not run to its end");
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) return because(shown_outcome(run));
  return run.wall().count();
}

Result<double> best_of(const Run& run, const std::string& metric) {
  if (const auto best = best_metric(laps_of(run), metric)) return best->value;
  return because("it reported no " + metric);
}

Result<double> from_profile(const Run& run, Kind kind) {
  const Result<LapProfile> profile = profile_of(run);
  if (!profile) return tl::unexpected(profile.error());
  if (kind == Kind::first_lap) return profile->first_lap.count();
  if (kind == Kind::init) return profile->init.count();
  if (profile->steady.laps == 0) return because("it has no steady lap");
  if (kind == Kind::lap) return profile->steady.mean.mid.count();
  if (profile->steady.samples_per_second.mid > 0) return profile->steady.samples_per_second.mid;
  return because("its laps have no samples");
}

Result<double> cost_of(const Run& run) {
  return cost_of_run(run, {}).map([](Money cost) { return cost.dollars(); });
}

Result<double> memory_of(const Run& run) {
  if (run.usage.peak_rss_bytes > 0) return static_cast<double>(run.usage.peak_rss_bytes);
  return because("its memory is not known");
}

}  // namespace

MetricRange range_of(const RunMetric& metric, std::span<const double> values) {
  if (metric.kind != Kind::accuracy && metric.kind != Kind::reported) return {.lowest = 0};
  if (metric.kind == Kind::reported && !is_named_as_share(metric.name)) return {};
  const auto all_within = [&](double highest) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value >= 0 && value <= highest; });
  };
  if (all_within(1)) return {0, 1};
  return all_within(100) ? MetricRange{0, 100} : MetricRange{};
}

std::string run_metric_names() {
  std::string names;
  for (const RunMetric& metric : known_metrics())
    names += (names.empty() ? "" : ", ") + metric.name;
  return names;
}

RunMetric parse_run_metric(std::string_view name) {
  for (const RunMetric& metric : known_metrics())
    if (metric.name == name) return metric;
  if (!is_a_word(name))
    throw Error(ExitCode::usage,
                fmt::format("'{}' is no metric; there are {}, and those that programs report, such "
                            "as val_loss",
                            printable(name, 60), run_metric_names()));
  return reported(name);
}

Result<double> value_of(const Run& run, const RunMetric& metric) {
  switch (metric.kind) {
    case Kind::time:
      return time_of(run);
    case Kind::accuracy:
      return best_of(run, "val_accuracy");
    case Kind::reported:
      return best_of(run, metric.name);
    case Kind::memory:
      return memory_of(run);
    case Kind::cost:
      return cost_of(run);
    case Kind::lap:
    case Kind::first_lap:
    case Kind::init:
    case Kind::throughput:
      return from_profile(run, metric.kind);
  }
  return because("no such metric");
}

RunValues values_of(const std::vector<Run>& runs, const RunMetric& metric) {
  RunValues result;
  for (const Run& run : runs) {
    const Result<double> value = value_of(run, metric);
    if (value)
      result.values.push_back(*value);
    else
      result.left_out.push_back(run.context.id + ": " + value.error().text);
  }
  return result;
}

}  // namespace lapcast
