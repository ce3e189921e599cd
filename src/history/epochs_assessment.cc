#include "history/epochs_assessment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "forecast/forecast.h"
#include "history/time_by_epochs.h"
#include "run/program_folder.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Returns the most epochs to be trained; 0 = no limit. A plan that was trained to its end limits
/// nothing: then the question is what comes after it.
double limit_of(const Run& run, const EpochsOptions& options, const LapLog& log, double trained) {
  if (options.max_epochs > 0) return static_cast<double>(options.max_epochs);
  const std::int64_t reported = log.plan ? log.plan->epochs : 0;
  const std::int64_t planned = run.context.plan.epochs > 0 ? run.context.plan.epochs : reported;
  return trained < static_cast<double>(planned) ? static_cast<double>(planned) : 0;
}

std::vector<EarlierCurve> earlier_curves(const Run& run, const EpochsOptions& options,
                                         std::span<const Run> others) {
  std::vector<EarlierCurve> curves;
  for (const Run& other : others) {
    if (other.context.id == run.context.id || !are_same_program(other.context, run.context))
      continue;
    if (options.first_epochs > 0 && other.context.started_at >= run.context.started_at) continue;
    auto curve = learning_curve(*laps_of(other), options.goal.metric);
    if (!curve || curve->points.empty()) continue;
    curves.push_back(
        {other.context.id, *std::move(curve), static_cast<double>(batch_size_of(other))});
  }
  return curves;
}

bool is_batch_option(std::string_view argument) {
  return argument.starts_with('-') && argument.find("batch") != argument.npos;
}

/// Returns "--batch-size=" for "--batch-size=128"; nothing for arguments of other options.
std::string_view batch_option_of(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == argument.npos || !is_batch_option(argument.substr(0, equals))) return {};
  return argument.substr(0, equals + 1);
}

bool are_same_arguments(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_value_of_batch =
        i > 0 && is_batch_option(a[i - 1]) && batch_option_of(a[i - 1]).empty();
    const std::string_view option = batch_option_of(a[i]);
    const bool is_same_option = !option.empty() && option == batch_option_of(b[i]);
    if (a[i] != b[i] && !is_value_of_batch && !is_same_option) return false;
  }
  return true;
}

}  // namespace

EpochsAssessment assess_epochs(const Run& run, const EpochsOptions& options,
                               std::span<const Run> others) {
  const auto log = laps_of(run);
  const auto curve = learning_curve(*log, options.goal.metric, options.first_epochs);
  if (!curve) return {{}, tl::unexpected(curve.error()), std::nullopt};
  const double trained = curve->points.empty() ? 0 : curve->points.back().epochs;
  const EpochsQuestion question{options.goal, static_cast<double>(batch_size_of(run)),
                                limit_of(run, options, *log, trained)};
  EpochsAssessment result{
      *curve, epochs_needed(*curve, question, earlier_curves(run, options, others)), std::nullopt};
  if (const auto whole = learning_curve(*log, options.goal.metric))
    result.real = epochs_when_reached(*whole, options.goal);
  return result;
}

std::int64_t epochs_to_plan(const EpochsNeeded& needed) {
  const double epochs = std::min(needed.epochs.mid, needed.horizon);
  return std::max<std::int64_t>(1, std::llround(std::ceil(epochs)));
}

Result<Interval<Seconds>> time_until(const EpochsNeeded& needed, const Assessment& assessment) {
  const TimeByEpochs time_of = time_by_epochs(assessment);
  if (!time_of) return because("how many laps an epoch has is not known");
  const Interval<Seconds>& total = assessment.forecast->total;
  const double below = std::log(total.mid / total.low) / kZ95;
  const double above = std::log(total.high / total.mid) / kZ95;
  WeightedValues times;
  constexpr int kShares = 201;
  constexpr int kPaces = 41;
  std::vector<double> paces;  // normal quantiles in the middle of equal shares
  for (int i = 0; i < kPaces; ++i) paces.push_back(normal_quantile((i + 0.5) / kPaces));
  for (int i = 0; i < kShares; ++i) {
    const double epochs = std::min(needed.samples.quantile((i + 0.5) / kShares), needed.horizon);
    const double seconds = time_of(epochs).count();
    for (const double z : paces) times.add(seconds * std::exp(z * (z < 0 ? below : above)), 1);
  }
  return Interval<Seconds>{Seconds{times.quantile(0.025)}, Seconds{times.quantile(0.5)},
                           Seconds{times.quantile(0.975)}};
}

bool are_same_program(const RunContext& a, const RunContext& b) {
  const auto without_batch = [](std::map<std::string, std::string> settings) {
    settings.erase("batch");
    return settings;
  };
  return are_same_arguments(a.program, b.program) && folder_of_program(a) == folder_of_program(b) &&
         without_batch(a.settings) == without_batch(b.settings);
}

}  // namespace lapcast
