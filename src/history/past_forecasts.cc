#include "history/past_forecasts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "forecast/plan.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

// The constants below were chosen by hand for small errors and 95 % coverage of the forecasts that
// `./bench forecast-accuracy` makes of public MLPerf runs (docs/accuracy.md): run it before and
// after a change. It judges each program without the runs of its own submitter, and with them;
// where the two differ much, the constants are fitted too closely.

constexpr double kMostError = 2.3;     // errors beyond a tenth or ten times the forecast are cut
constexpr double kOtherVersion = 0.3;  // weight of a run of another version of the program
constexpr double kShrink = 1;          // weight, in runs, of what is assumed before runs are seen
constexpr double kFirstGuess = 1.5;    // weight, in runs, of all runs of other programs together
constexpr double kOutside = 0.025;     // share of the past errors beyond either bound
constexpr double kWider = 1.1;         // factor of both bounds: few runs seldom include the worst
constexpr double kMirrored = 0.2;      // weight of an error as large the other way
constexpr double kLeast = 0.006;       // smallest bound of ln(rest), however alike past runs are
constexpr double kNoPastForecast = 0.05;  // sd of ln(rest) where no past forecast is comparable
constexpr double kHardlyAny = 0.1;        // weight, in runs, below which an interval only widens

/// Holds the widths of the Gaussian kernels that weigh how alike two trainings are.
struct Widths {
  double slow_start, log_laps, log_lap;
  double log_validated = std::numeric_limits<double>::infinity();  // not compared
};
constexpr Widths kFarBias{0.2, 1, 0.8};
constexpr Widths kNearBias{0.03, 0.5, 0.2, 0.02};
constexpr Widths kForSpread{0.15, 1, 0.7};
// Where less than kFirstGuess is alike, those widths grow by the first factor, up to the second.
constexpr double kGrowth = 1.5;
constexpr double kMostGrowth = 8;

// The next two are relative standard deviations of laps of the same program, machine type and batch
// size.
constexpr double kBetweenSources = 0.04;  // between owners of one machine type
constexpr double kWithinSource = 0.02;    // between runs of one owner
constexpr double kUncertainFrom = 0.025;  // below this spread a run's own laps are better

constexpr double kLeastOfTotal = 0.05;  // lower bound of a total, as a share of its middle

double squared(double x) {
  return x * x;
}

double likeness(const ComparedTraining& a, const ComparedTraining& b, const Widths& widths) {
  const double slower = a.slow_start && b.slow_start ? *a.slow_start - *b.slow_start : 0;
  return std::exp(-0.5 * (squared(slower / widths.slow_start) +
                          squared((a.log_laps - b.log_laps) / widths.log_laps) +
                          squared((a.log_lap - b.log_lap) / widths.log_lap) +
                          squared((a.log_validated - b.log_validated) / widths.log_validated)));
}

Widths operator*(const Widths& widths, double factor) {
  return {widths.slow_start * factor, widths.log_laps * factor, widths.log_lap * factor,
          widths.log_validated * factor};
}

/// Returns how alike trainings of different programs are: whether they warm up alike and are as
/// long.
double likeness_of_others(const ComparedTraining& now, const ComparedTraining& other) {
  return likeness(now, other, {0.15 + 0.3 * std::abs(now.slow_start.value_or(0)), 1, 1.5});
}

double version_weight(const ComparedTraining& now, const ComparedTraining& past) {
  return past.version == now.version ? 1 : kOtherVersion;
}

/// Returns the time of a validation over that of the laps from one to the next, whatever the length
/// of the training; 0 where it has none, or when they come is not known.
double validated_share(const LapProfile& profile, const TrainingPlan& plan, Seconds lap) {
  const auto cost = cost_of_validation(profile, plan);
  const ValidationSchedule schedule = schedule_of(profile, plan);
  const double laps = schedule.every * (schedule.in_laps ? 1 : laps_per_epoch(plan));
  if (!cost || !*cost || schedule.is_quiet() || !(laps > 0)) return 0;
  return (*cost)->later.mid / (lap * laps);
}

/// Evaluates what past forecasts tell about the forecast of one training.
class Evidence {
 public:
  Evidence(const ComparedTraining& now, const PastForecasts& past_forecasts)
      : now_(now), past_forecasts_(past_forecasts), all_(past_forecasts.all()) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      (all_[i].training.program == now.program ? same_ : others_).push_back(i);
    }
  }

  PastErrors past_errors() {
    PastErrors result;
    const PastBias bias(now_, past_forecasts_);
    result.runs = same_.size();
    result.bias = bias.at(now_.log_laps);
    result.same_machine = bias.same_machine();
    find_interval(result);
    return result;
  }

 private:
  void find_interval(PastErrors& result) const {
    WeightedValues others;
    for (const std::size_t i : others_) {
      const double weight =
          likeness_of_others(now_, all_[i].training) /
          (past_forecasts_.runs_of_source(i) * past_forecasts_.sources_of_program(i));
      others.add(std::abs(all_[i].log_ratio), weight / 2);
      others.add(-std::abs(all_[i].log_ratio), weight / 2);
    }
    const double guess = std::min(others.weight(), kFirstGuess);
    double growth = 1;
    WeightedValues errors = errors_about(result.bias, growth);
    while (!same_.empty() && errors.weight() + guess < kFirstGuess && growth < kMostGrowth)
      errors = errors_about(result.bias, growth *= kGrowth);
    const double alike = errors.weight();
    if (alike + guess <= 0) return;
    errors.add(errors_about(result.bias, growth, -1), kMirrored);
    if (guess > 0) errors.add(others, guess / others.weight());
    result.weight = (alike + guess) / growth;
    result.only_widens = alike < kHardlyAny * growth;
    result.below = std::max(kLeast, -kWider * errors.quantile(kOutside));
    result.above = std::max(kLeast, kWider * errors.quantile(1 - kOutside));
  }

  /// Returns how far the past forecasts of the same program were from the bias, weighed by kernels
  /// that are `growth` times as wide; with sign = -1, the same the other way.
  WeightedValues errors_about(double bias, double growth, double sign = 1) const {
    WeightedValues errors;
    for (const std::size_t i : same_)
      errors.add(sign * (all_[i].log_ratio - bias),
                 likeness(now_, all_[i].training, kForSpread * growth) *
                     std::sqrt(version_weight(now_, all_[i].training) /
                               past_forecasts_.runs_of_source(i)));
    return errors;
  }

  const ComparedTraining& now_;
  const PastForecasts& past_forecasts_;
  std::span<const PastForecast> all_;
  std::vector<std::size_t> same_;  // indices of the past forecasts of the same program
  std::vector<std::size_t> others_;
};

}  // namespace

ComparedTraining training_numbers(const LapProfile& profile, const TrainingPlan& plan) {
  constexpr double kLeast = 1e-9;  // the resolution of a clock in nanoseconds
  const double lap = std::max(kLeast, profile.steady.mean.mid.count());
  const double first = profile.first_lap.count();
  const bool is_seen = first > 0 && !profile.next_warm_up;
  return {.slow_start = is_seen ? std::optional(std::log(first / lap)) : std::nullopt,
          .log_laps = std::log(std::max(1.0, laps_of(plan))),
          .log_lap = std::log(lap),
          .log_validated = std::log1p(validated_share(profile, plan, Seconds{lap}))};
}

Interval<Seconds> with_teardown(const Interval<Seconds>& total, const Interval<Seconds>& forecast,
                                const Interval<Seconds>& teardown) {
  const auto half = [](Seconds whole, Seconds old, Seconds now) {
    const double rest = std::max(0.0, std::pow(whole.count(), 2) - std::pow(old.count(), 2));
    return Seconds{std::sqrt(rest + std::pow(now.count(), 2))};
  };
  const Seconds mid = total.mid + teardown.mid - forecast.mid;
  const Seconds below =
      half(total.mid - total.low, forecast.mid - forecast.low, teardown.mid - teardown.low);
  return {std::max(mid * kLeastOfTotal, mid - below), mid,
          mid + half(total.high - total.mid, forecast.high - forecast.mid,
                     teardown.high - teardown.mid)};
}

double log_ratio_of(Seconds real, Seconds forecast, Seconds observed) {
  const double took = (real - observed).count();
  const double forecast_rest = (forecast - observed).count();
  if (!(took > 0) || !(forecast_rest > 0)) return 0;
  return std::clamp(std::log(took / forecast_rest), -kMostError, kMostError);
}

PastForecasts::PastForecasts(std::vector<PastForecast> all) : all_(std::move(all)) {
  std::map<std::pair<std::string, std::string>, double> sources;  // runs by program and source
  for (const PastForecast& each : all_) ++sources[{each.training.program, each.training.source}];
  std::map<std::string, double> programs;
  for (const auto& [key, runs] : sources) ++programs[key.first];
  for (const PastForecast& each : all_) {
    runs_of_source_.push_back(sources.at({each.training.program, each.training.source}));
    sources_of_program_.push_back(programs.at(each.training.program));
  }
}

PastBias::PastBias(const ComparedTraining& now, const PastForecasts& past_forecasts) {
  std::map<std::string, std::vector<double>> laps;  // of the same machine, by source
  for (std::size_t i = 0; i < past_forecasts.all().size(); ++i) {
    const auto& [past, log_ratio] = past_forecasts.all()[i];
    if (past.program != now.program) continue;
    ComparedTraining as_long = past;
    as_long.log_laps = now.log_laps;
    const double weight = version_weight(now, past) / std::sqrt(past_forecasts.runs_of_source(i));
    errors_.push_back({log_ratio, past.log_laps, likeness(now, as_long, kFarBias) * weight,
                       likeness(now, as_long, kNearBias) * weight});
    if (!now.machine.empty() && past.machine == now.machine && past.version == now.version)
      laps[past.source].push_back(past.log_lap + log_ratio);
  }
  std::ranges::stable_sort(errors_, {}, &Error::log_ratio);
  same_machine_ = laps.size();
  double sum = 0;
  for (const auto& [source, values] : laps) sum += median(values);
  if (same_machine_ > 0)
    pull_ =
        std::clamp(sum / static_cast<double>(same_machine_) - now.log_lap, -kMostError, kMostError);
}

double PastBias::at(double log_laps) const {
  std::vector<double> far, near;
  for (const Error& error : errors_) {
    const double apart = log_laps - error.log_laps;
    far.push_back(error.far * std::exp(-0.5 * squared(apart / kFarBias.log_laps)));
    near.push_back(error.near * std::exp(-0.5 * squared(apart / kNearBias.log_laps)));
  }
  return drawn_to_machine(refined(refined({0, kNoPastForecast}, far), near));
}

/// Moves an estimate to the weighted median of the errors, as far as they outweigh it and agree.
PastBias::Estimate PastBias::refined(const Estimate& estimate,
                                     std::span<const double> weights) const {
  WeightedValues ratios;
  for (std::size_t i = 0; i < errors_.size(); ++i) ratios.add(errors_[i].log_ratio, weights[i]);
  if (ratios.empty()) return estimate;
  const double certain = ratios.weight() / (ratios.weight() + kShrink);
  const double middle = ratios.quantile(0.5);
  // Going from the middle outwards yields the residuals in order, which saves sorting them: a
  // ranking asks for the bias at thousands of lengths.
  WeightedValues residuals;
  const auto off = [&](std::size_t i) { return std::abs(errors_[i].log_ratio - middle); };
  std::size_t after = static_cast<std::size_t>(
      std::ranges::lower_bound(errors_, middle, {}, &Error::log_ratio) - errors_.begin());
  std::size_t before = after;
  while (before > 0 || after < errors_.size()) {
    const bool down = after == errors_.size() || (before > 0 && off(before - 1) < off(after));
    const std::size_t i = down ? --before : after++;
    residuals.add(off(i), weights[i]);
  }
  const double scatter = residuals.quantile(0.6827);
  const double step = middle - estimate.bias;
  const double agreed = step != 0 ? std::max(0.0, 1 - 0.5 * squared(scatter / step)) : 1;
  return {estimate.bias + step * certain * agreed,
          estimate.spread * (1 - certain) + scatter * certain};
}

/// Draws the bias towards what a lap took in earlier runs on the same machine; those and this run's
/// own laps are weighted by their inverse variances.
double PastBias::drawn_to_machine(const Estimate& estimate) const {
  if (same_machine_ == 0 || estimate.spread <= kUncertainFrom) return estimate.bias;
  const double count = static_cast<double>(same_machine_);
  const double own = 1 / squared(estimate.spread);
  const double others = 1 / (squared(kBetweenSources) * (1 + 1 / count) + squared(kWithinSource));
  return (estimate.bias * own + pull_ * others) / (own + others);
}

Seconds total_with_bias(Seconds total, Seconds observed, double bias) {
  const Seconds rest = total - observed;
  return bias == 0 || !(rest.count() > 0) ? total : observed + rest * std::exp(bias);
}

PastErrors past_errors(const ComparedTraining& now, const PastForecasts& past_forecasts) {
  if (past_forecasts.empty()) return {};
  return Evidence(now, past_forecasts).past_errors();
}

Interval<Seconds> with_past_errors(const Interval<Seconds>& total, Seconds observed,
                                   const PastErrors& errors) {
  const double rest = (total.mid - observed).count();
  const bool is_known = errors.weight > 0 || errors.wander > 0 || errors.bias != 0;
  if (!is_known || !(rest > 0)) return total;
  const double own = std::max(0.0, 1 - errors.weight / kFirstGuess);
  const auto half = [&](double learned, double own_half) {
    const double wandering = std::hypot(own_half, errors.wander);
    return errors.only_widens ? std::max(learned, wandering) : std::lerp(learned, wandering, own);
  };
  const double below = std::log(rest / std::max(rest * 0.05, (total.low - observed).count()));
  const double above = std::log((total.high - observed).count() / rest);
  const double mid = rest * std::exp(errors.bias);
  return {observed + Seconds{mid * std::exp(-half(errors.below, below))},
          total_with_bias(total.mid, observed, errors.bias),
          observed + Seconds{mid * std::exp(half(errors.above, above))}};
}

}  // namespace lapcast
