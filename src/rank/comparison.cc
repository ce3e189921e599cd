#include "rank/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <variant>

#include "core/lower_case.h"
#include "core/units.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"
#include "forecast/learning_curve.h"
#include "history/assessment.h"
#include "run/attempts.h"
#include "run/run_cost.h"
#include "run/secrets.h"
#include "stats/summary.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

std::string p_text(double p) {
  return p < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.2g}", p);
}

/// Returns the size of a gain, such as "12 %".
std::string percent(double gain) {
  return format_share(std::abs(gain));
}

/// Returns a gain with its direction, such as "12 % faster".
std::string by(double gain, const RunMetric& metric) {
  return fmt::format("{} {}", percent(gain), gain >= 0 ? metric.better : metric.worse);
}

/// Returns the bounds of gains that lie on one side of 0, the smaller size first: "8.0 to 16 %".
std::string range(const Interval<double>& gains) {
  const auto [near, far] = std::minmax({std::abs(gains.low), std::abs(gains.high)});
  return fmt::format("{} to {}", percent(near), percent(far));
}

std::string sizes(const Comparison& c) {
  return c.n_a == c.n_b ? fmt::format("n = {} each", c.n_a)
                        : fmt::format("n = {} and {}", c.n_a, c.n_b);
}

std::string missing(const Comparison& c, const RunMetric& metric) {
  const std::string which = c.n_a == 0 && c.n_b == 0 ? "neither A nor B has"
                            : c.n_a == 0             ? "A has no run with"
                                                     : "B has no run with";
  return fmt::format("nothing to compare: {} a value of {}", which, metric.name);
}

/// Returns the verdict if no test is possible: one run does not show how much runs differ.
std::string without_test(const Comparison& c, const RunMetric& metric) {
  const std::string seen = !c.gain        ? "the ratio of A and B is not defined"
                           : *c.gain == 0 ? "A and B are equal"
                                          : "B is " + by(*c.gain, metric);
  if (c.n_a > 1 && c.n_b > 1)
    return fmt::format("{}; no value varies within its set ({}), so there is nothing to test", seen,
                       sizes(c));
  return fmt::format(
      "{}, but that may be chance: a set with one run ({}) does not show how much "
      "runs differ; repeat it",
      seen, sizes(c));
}

std::string with_test(const Comparison& c, const RunMetric& metric) {
  const std::string p = p_text(c.test->p_value);
  if (c.test->p_value >= kSignificant) {
    const std::string within =
        c.gains ? fmt::format(": B is between {} and {}", by(c.gains->low, metric),
                              by(c.gains->high, metric))
                : "";
    return fmt::format("no difference can be seen with {}{}, {}", sizes(c), within, p);
  }
  const std::string effect = std::string(size_of_effect(c.test->effect_size)) + " effect";
  if (!c.gain) return fmt::format("A and B differ, {}, {}", p, effect);
  return fmt::format("B is {}{}, {}, {}", by(*c.gain, metric),
                     c.gains ? fmt::format(" ({})", range(*c.gains)) : "", p, effect);
}

using Kind = RunMetric::Kind;

const std::vector<RunMetric>& known_metrics() {
  static const std::vector<RunMetric> metrics{
      {Kind::time, "time", "s", "faster", "slower", false},
      {Kind::lap, "lap", "s", "faster", "slower", false},
      {Kind::first_lap, "first-lap", "s", "faster", "slower", false},
      {Kind::init, "init", "s", "faster", "slower", false},
      {Kind::throughput, "throughput", "samples/s", "faster", "slower", true},
      {Kind::accuracy, "accuracy", "", "higher", "lower", true, "val_accuracy"},
      {Kind::accuracy, "training-accuracy", "", "higher", "lower", true, "accuracy"},
      {Kind::test_time, "test-time", "s", "faster", "slower", false},
      {Kind::memory, "memory", "bytes", "smaller", "larger", false},
      {Kind::cost, "cost", "USD", "cheaper", "dearer", false}};
  return metrics;
}

/// Returns whether a metric's name has a word for a share, such as "acc" in "val_acc".
bool is_named_as_share(std::string_view name) {
  if (smaller_is_better(name)) return false;
  constexpr std::array kShares{"accuracy", "acc",  "f1",  "precision", "recall", "auc",
                               "top1",     "top5", "iou", "miou",      "dice"};
  const auto is_alnum = [](unsigned char c) { return std::isalnum(c) != 0; };
  for (auto begin = name.begin(); begin != name.end();) {
    begin = std::find_if(begin, name.end(), is_alnum);
    const auto end = std::find_if_not(begin, name.end(), is_alnum);
    if (std::ranges::find(kShares, lower_case({begin, end})) != kShares.end()) return true;
    begin = end;
  }
  return false;
}

Result<double> reported_value(const Run& run, const RunMetric& metric) {
  const auto log = laps_of(run);
  const auto best = best_metric(*log, metric.reported);
  if (!best) return because("it reported no " + metric.reported);
  if (!metric.is_last) return best->value;
  return std::ranges::find(log->metrics.rbegin(), log->metrics.rend(), metric.reported,
                           &MetricPoint::name)
      ->value;
}

Result<double> test_time_of(const LapLog& log) {
  const auto stage = std::find_if(log.stages.rbegin(), log.stages.rend(),
                                  [](const StageSpan& one) { return one.name == "evaluate"; });
  if (stage != log.stages.rend()) return stage->span.seconds().count();
  if (!log.validations.empty()) return log.validations.back().span.seconds().count();
  return because("it reported no stage evaluate and no validation");
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

}  // namespace

std::string_view size_of_effect(double hedges_g) {
  const double size = std::abs(hedges_g);
  return size < 0.2 ? "negligible" : size < 0.5 ? "small" : size < 0.8 ? "medium" : "large";
}

Comparison compare(std::span<const double> a, std::span<const double> b, const RunMetric& metric) {
  Comparison result{a.size(), b.size()};
  if (!result.answered()) {
    result.verdict = missing(result, metric);
    return result;
  }
  // Speed is the inverse of time: half the time is 100 % faster. Half the cost is 50 % cheaper.
  const bool is_inverse = !metric.larger_is_better && metric.better == "faster";
  const double sign = metric.larger_is_better || is_inverse ? 1 : -1;
  const auto& over = is_inverse ? a : b;
  const auto& under = is_inverse ? b : a;
  if (mean(under) > 0 && mean(over) > 0) result.gain = sign * (mean(over) / mean(under) - 1);
  if (const auto ratio = ratio_of_means(over, under)) {
    const auto [low, high] = std::minmax({sign * (ratio->low - 1), sign * (ratio->high - 1)});
    result.gains = {low, sign * (ratio->mid - 1), high};
  }
  result.test = welch_test(a, b);
  result.verdict = result.test ? with_test(result, metric) : without_test(result, metric);
  return result;
}

MetricRange range_of(const RunMetric& metric, std::span<const double> values) {
  if (metric.kind != Kind::accuracy && metric.kind != Kind::reported) return {.lowest = 0};
  if (metric.kind == Kind::reported && !is_named_as_share(metric.reported)) return {};
  const auto all_within = [&](double highest) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value >= 0 && value <= highest; });
  };
  if (all_within(1)) return {0, 1};
  return all_within(100) ? MetricRange{0, 100} : MetricRange{};
}

RunMetric parse_run_metric(std::string_view name) {
  std::string names;
  for (const RunMetric& metric : known_metrics()) {
    if (metric.name == name) return metric;
    names += metric.name + ", ";
  }
  const bool is_word = !name.empty() && name.size() <= 60 && printable(name) == name &&
                       name.find_first_of(" ,=") == std::string_view::npos;
  if (!is_word)
    throw Error(
        ExitCode::usage,
        fmt::format("'{}' is not a metric; there are {}and those that programs report, such "
                    "as val_loss; last-NAME is the last value of a reported one",
                    printable(name, 60), names));
  if (constexpr std::string_view kLast = "last-"; name.starts_with(kLast) && name != kLast) {
    RunMetric metric = parse_run_metric(name.substr(kLast.size()));
    if (metric.reported.empty() || metric.is_last)
      throw Error(ExitCode::usage, fmt::format("'{}' is not a metric: {} has one value in each run",
                                               name, name.substr(kLast.size())));
    metric.name = name;
    metric.is_last = true;
    return metric;
  }
  const bool loss = smaller_is_better(name);
  const std::string_view better = loss ? "lower" : "higher";
  const std::string_view worse = loss ? "higher" : "lower";
  return {Kind::reported, std::string(name), "", std::string(better), std::string(worse),
          !loss,          std::string(name)};
}

Result<double> value_of(const Run& run, const RunMetric& metric) {
  switch (metric.kind) {
    case Kind::time:
      // The log of another tool rarely says that the training had ended: its time is what it has.
      if (!run.context.imported_from.empty() && has_laps(run.outcome))
        return training_time(run).count();
      if (run.context.kind == RunKind::probe) return because("it was not run to its end");
      if (!std::holds_alternative<outcome::Ended>(run.outcome)) return because(shown_outcome(run));
      return training_time(run).count();
    case Kind::accuracy:
    case Kind::reported:
      return reported_value(run, metric);
    case Kind::test_time:
      return test_time_of(*laps_of(run));
    case Kind::memory:
      if (run.usage.peak_rss_bytes <= 0) return because("its memory is not known");
      return static_cast<double>(run.usage.peak_rss_bytes);
    case Kind::cost:
      return cost_of_run(run, {}).map([](Money cost) { return cost.dollars(); });
    default:
      return from_profile(run, metric.kind);
  }
}

RunValues values_of(const std::vector<Run>& runs, const RunMetric& metric) {
  RunValues result;
  for (const Run& run : runs) {
    if (const Result<double> value = value_of(run, metric))
      result.values.push_back(*value);
    else
      result.left_out.push_back(run.context.id + ": " + value.error().text);
  }
  return result;
}

}  // namespace lapcast
