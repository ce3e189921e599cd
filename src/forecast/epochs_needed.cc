#include "forecast/epochs_needed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "core/units.h"
#include "forecast/fitted_curves.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr int kFutures = 400;
constexpr std::uint64_t kSeed = 20150725;
constexpr double kStride = 0.01;      // evaluations within that share of the way are taken together
constexpr double kHorizon = 20;       // times the observed epochs, where no limit is asked for
constexpr double kBeyondEarlier = 2;  // the same as a multiple of the longest earlier run
constexpr double kLeastOwn = 0.02;    // of the run's own curve, however similar earlier runs are
constexpr double kByAge = 0.35;       // of that, by age alone: fitted curves know no schedules
constexpr std::size_t kFewest = 4;    // evaluations that curves are fitted to

double when_reached(const LearningCurve& curve, const DrawnCurve& drawn, GoalWatch watch,
                    double horizon, SeededNumbers& numbers) {
  const double spacing = evaluation_spacing(curve);
  double at = curve.points.back().epochs;
  while (at < horizon) {
    const double reports = std::max(1.0, std::floor(kStride * at / spacing));
    at += reports * spacing;
    const double value = drawn.at(at) + drawn.noise * numbers.largest_normal(reports);
    if (watch.reached_by(value, static_cast<std::int64_t>(reports))) return at;
  }
  return kNever;
}

/// Returns when futures drawn from the fitted curves (with noise, at the spacing of the curve's
/// evaluations) reach the goal. All metrics are larger = better. The total weight is 1; kNever
/// stands for beyond `horizon` epochs. The same input gives the same samples.
WeightedValues curve_futures(const LearningCurve& curve, std::span<const FittedCurve> fits,
                             const TrainingGoal& goal, double horizon) {
  GoalWatch watch(goal);
  for (const CurvePoint& point : curve.points) watch.reached_by(point.value);
  SeededNumbers numbers(kSeed);
  WeightedValues samples;
  std::size_t fit = 0;
  double passed = 0;
  for (int i = 0; i < kFutures; ++i) {
    while (fit + 1 < fits.size() && passed + fits[fit].weight < (i + 0.5) / kFutures)
      passed += fits[fit++].weight;
    const DrawnCurve drawn = fits[fit].draw(numbers);
    samples.add(when_reached(curve, drawn, watch, horizon, numbers), 1.0 / kFutures);
  }
  return samples;
}

/// Returns what is known without the curve: a training under way is equally likely to have done any
/// share of its way, so it needs at least n times as long with probability 1/n (Gott 1993, Nature
/// 363, 315). The total weight is 1.
WeightedValues futures_by_age(double epochs, double horizon) {
  constexpr int kSamples = 200;
  WeightedValues samples;
  for (int i = 0; i < kSamples; ++i) {
    const double needed = epochs / (1 - (i + 0.5) / kSamples);
    samples.add(needed <= horizon ? needed : kNever, 1.0 / kSamples);
  }
  return samples;
}

LearningCurve larger_is_better(LearningCurve curve, const TrainingGoal& goal) {
  if (goal.smaller_is_better)
    for (CurvePoint& point : curve.points) point.value = -point.value;
  return curve;
}

TrainingGoal larger_is_better(TrainingGoal goal) {
  if (goal.smaller_is_better && goal.target) goal.target = -*goal.target;
  goal.smaller_is_better = false;
  return goal;
}

/// Returns the value that sets the scale of the fits: the target, else the best evaluation.
double hoped_for(const LearningCurve& curve, const TrainingGoal& goal) {
  return goal.target.value_or(
      std::ranges::max_element(curve.points, {}, &CurvePoint::value)->value);
}

bool is_flat(const LearningCurve& curve) {
  const double first = curve.points.front().value;
  return std::ranges::all_of(curve.points,
                             [first](const CurvePoint& point) { return point.value == first; });
}

/// Lists the families of the fits by their weight: "power law 61 %, Janoschek 30 %".
std::string families_of(const std::vector<FittedCurve>& fits) {
  std::array<std::pair<double, CurveFamily>, kCurveFamilies> families{};
  for (const FittedCurve& fit : fits) {
    auto& [weight, family] = families[static_cast<std::size_t>(fit.shape.family)];
    weight += fit.weight;
    family = fit.shape.family;
  }
  std::ranges::stable_sort(families, [](auto& a, auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [weight, family] : families)
    if (weight >= 0.05)
      text +=
          fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", to_string(family), 100 * weight);
  return text;
}

/// Adds the forecast from the run's own curve with the given share, and its basis.
void add_own_course(EpochsNeeded& result, const LearningCurve& curve, const TrainingGoal& goal,
                    double share) {
  std::vector<FittedCurve> fits;
  if (curve.points.size() >= kFewest && (goal.target || !is_flat(curve)))
    fits = fitted_curves(curve.points, hoped_for(curve, goal));
  const double by_age = fits.empty() ? 1 : kByAge;
  if (!fits.empty()) {
    result.samples.add(curve_futures(curve, fits, goal, result.horizon), share * (1 - by_age));
    result.basis.push_back(
        {share * (1 - by_age), fmt::format("curves fitted to its {} evaluations: {}",
                                           curve.points.size(), families_of(fits))});
  }
  result.samples.add(futures_by_age(curve.points.back().epochs, result.horizon), share * by_age);
  result.basis.push_back({share * by_age, "how long it has been going on, nothing else"});
}

std::string names_of(std::span<const CurveWeight> shares, std::span<const EarlierCurve> earlier) {
  std::vector<std::string> ids;
  for (const CurveWeight& each : shares) ids.push_back(earlier[each.index].run_id);
  return short_list(ids, 3);
}

void add_earlier_basis(EpochsNeeded& result, const EarlierForecast& forecast,
                       std::span<const EarlierCurve> earlier, double share) {
  for (const bool other : {false, true}) {
    std::vector<CurveWeight> shares;
    double sum = 0;
    for (const CurveWeight& one : forecast.shares) {
      if (one.other_batch_size != other) continue;
      shares.push_back(one);
      sum += one.share;
    }
    if (shares.empty()) continue;
    result.basis.push_back({share * sum, fmt::format("earlier runs with {} batch size: {}",
                                                     other ? "another or an unknown" : "the same",
                                                     names_of(shares, earlier))});
    if (other && share * sum >= 0.1)
      result.warnings.push_back(fmt::format(
          "{:.0f} % of it is carried over from runs with another or an unknown batch size: epochs "
          "need not carry over between batch sizes",
          100 * share * sum));
  }
}

/// Rounds to an evaluation after the last one: a training ends at an evaluation.
double at_an_evaluation(const LearningCurve& curve, double epochs) {
  if (!(epochs < kNever) || curve.points.size() < 2) return epochs;
  const double spacing = evaluation_spacing(curve);
  const double last = curve.points.back().epochs;
  return last + spacing * std::max(1.0, std::round((epochs - last) / spacing));
}

/// Returns at_an_evaluation() of an upper bound. After a single evaluation, where the spacing is
/// not known, the bound is rounded up to a multiple of its epochs.
double upper_end(const LearningCurve& curve, double epochs) {
  if (!(epochs < kNever) || curve.points.size() > 1) return at_an_evaluation(curve, epochs);
  const double spacing = evaluation_spacing(curve);
  return spacing * std::ceil(epochs / spacing);
}

void summarise(EpochsNeeded& result, const LearningCurve& curve) {
  const auto quantile = [&](double p) {
    const double epochs = result.samples.quantile(p);
    return epochs <= result.horizon ? epochs : kNever;
  };
  result.epochs = {at_an_evaluation(curve, quantile(0.025)), at_an_evaluation(curve, quantile(0.5)),
                   upper_end(curve, quantile(0.975))};
  result.chance_reached = result.samples.share_up_to(result.horizon);
  std::ranges::stable_sort(result.basis, std::greater<>(), &EpochsBasis::share);
}

EpochsNeeded already_reached(double epochs) {
  EpochsNeeded result{.reached = true, .epochs = Interval<double>::exactly(epochs)};
  result.chance_reached = 1;
  result.horizon = epochs;
  result.samples.add(epochs, 1);
  result.basis.push_back({1, "it is there already"});
  return result;
}

/// Returns where the forecast ends without a limit: beyond what this run and earlier ones trained.
double horizon_of(double seen, std::span<const EarlierCurve> earlier) {
  double horizon = kHorizon * seen;
  for (const EarlierCurve& one : earlier)
    if (!one.curve.points.empty())
      horizon = std::max(horizon, kBeyondEarlier * one.curve.points.back().epochs);
  return horizon;
}

std::string too_few(const LearningCurve& curve, const TrainingGoal& goal) {
  const std::size_t n = curve.points.size();
  return fmt::format("{} of {} {} too few: {} are needed, or earlier runs of the same program",
                     counted(n, "evaluation"), goal.metric, n == 1 ? "is" : "are", kFewest);
}

}  // namespace

Result<EpochsNeeded> epochs_needed(const LearningCurve& given, const EpochsQuestion& question,
                                   std::span<const EarlierCurve> given_earlier) {
  const TrainingGoal goal = larger_is_better(question.goal);
  const LearningCurve curve = larger_is_better(given, question.goal);
  if (curve.points.empty()) return because(too_few(curve, goal));
  if (const auto epochs = epochs_when_reached(curve, goal)) return already_reached(*epochs);
  const double seen = curve.points.back().epochs;
  if (question.max_epochs > 0 && seen >= question.max_epochs)
    return because(fmt::format("it has trained {:g} epochs, and {:g} is the limit", seen,
                               question.max_epochs));

  std::vector<EarlierCurve> earlier(given_earlier.begin(), given_earlier.end());
  for (EarlierCurve& one : earlier)
    one.curve = larger_is_better(std::move(one.curve), question.goal);
  const EarlierForecast from_earlier =
      forecast_from_earlier(curve, goal, earlier, question.batch_size);
  if (from_earlier.samples.empty() && curve.points.size() < kFewest)
    return because(too_few(curve, goal));

  EpochsNeeded result;
  result.horizon = question.max_epochs > 0 ? question.max_epochs : horizon_of(seen, earlier);
  const double own = from_earlier.samples.empty() ? 1 : 1 - (1 - kLeastOwn) * from_earlier.likeness;
  result.samples.add(from_earlier.samples, 1 - own);
  add_earlier_basis(result, from_earlier, earlier, 1 - own);
  add_own_course(result, curve, goal, own);
  summarise(result, curve);
  return result;
}

}  // namespace lapcast
