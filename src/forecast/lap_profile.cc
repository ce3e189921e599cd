#include "forecast/lap_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <variant>

#include "forecast/effects.h"
#include "forecast/epoch_parts.h"
#include "forecast/few_values.h"
#include "forecast/first_epochs.h"
#include "forecast/lap_series.h"
#include "forecast/overlapped_validation.h"
#include "forecast/priors.h"
#include "forecast/validation_cost.h"
#include "stats/blocks.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kFewLaps = 5;         // below it the laps' own deviation says little
constexpr double kFewLapsDeviation = 0.10;  // relative sd of a lap assumed then
constexpr std::size_t kMostForMedian = 32768;
constexpr double kBoundaryDeviation = 0.3;  // likewise of an epoch boundary

Interval<double> steady_mean_interval(const Series& series, const SteadyMean& mean) {
  const auto steady = std::span(series.full.seconds).subspan(series.state.begin);
  Interval<double> interval = mean.whole;
  if (steady.size() < kFewLaps) {  // too few to tell a stall from the rest
    const Interval<double> few = few_values_interval(steady, kFewLapsDeviation);
    const double middle = median(steady);
    interval = {std::min(few.low, middle), middle, std::max(few.high, middle)};
  }
  interval.low = std::max(0.0, interval.low);
  return interval;
}

// Where the median of few laps is unbounded, the interval of the mean stands in.
Interval<double> steady_median_interval(std::span<const double> steady, double effective,
                                        const Interval<double>& mean) {
  if (steady.size() >= kFewLaps) {
    const std::vector<double> some = thinned(steady, kMostForMedian);
    return median_interval_autocorrelated(some, effective);
  }
  const double middle = median(steady);
  return {std::min(mean.low, middle), middle, std::max(mean.high, middle)};
}

Interval<double> throughput(double samples, const Interval<double>& lap) {
  const auto rate = [samples](double seconds) { return seconds > 0 ? samples / seconds : 0; };
  return {rate(lap.high), rate(lap.mid), lap.low > 0 ? rate(lap.low) : 10 * rate(lap.mid)};
}

SteadyLaps steady_laps_of(const Series& series) {
  const SteadyMean mean = mean_of(series);
  const auto steady = std::span(series.full.seconds).subspan(series.state.begin);
  const Interval<double> interval = steady_mean_interval(series, mean);
  SteadyLaps laps;
  laps.warm_up_laps = static_cast<std::int64_t>(series.first_steady_lap());
  laps.why = series.state.why;
  laps.laps = static_cast<std::int64_t>(steady.size());
  laps.effective_laps = mean.noise.effective_n;
  laps.mean = to_seconds(interval);
  laps.median = to_seconds(steady_median_interval(steady, laps.effective_laps, interval));
  laps.stalls = static_cast<std::int64_t>(series.state.stalls.size());
  laps.samples_per_lap = series.full.samples;
  laps.samples_per_second = throughput(series.full.samples, interval);
  return laps;
}

// First laps of epochs that count as epoch overhead are not counted here again.
Seconds warm_up_excess(const Series& series, double steady_lap) {
  double excess = 0;
  for (std::size_t i = 0; i < series.first_steady_lap(); ++i) {
    if (!series.is_overhead(i)) excess += series.costs[i] - steady_lap * series.share(i);
  }
  return Seconds{excess};
}

std::optional<Interval<Seconds>> epoch_overhead(const Series& series, double steady_lap) {
  const std::vector<double> boundaries =
      epoch_boundaries(series.log, series.costs, series.paused,
                       series.full.without_first_of_epoch ? steady_lap : 0, series.full.samples);
  if (boundaries.empty()) return std::nullopt;
  Interval<double> overhead = few_values_interval(boundaries, kBoundaryDeviation);
  // A boundary whose first lap happened to be fast takes no time, not less.
  overhead.mid = std::max(0.0, overhead.mid);
  overhead.low = std::max(0.0, overhead.low);
  overhead.high = std::max(overhead.mid, overhead.high);
  return to_seconds(overhead);
}

double laps_per_epoch(const LapProfile& profile) {
  const ReportedPlan& plan = profile.reported;
  if (plan.iterations_per_epoch > 0) return static_cast<double>(plan.iterations_per_epoch);
  if (plan.training_samples > 0 && profile.steady.samples_per_lap > 0) {
    return static_cast<double>(plan.training_samples) / profile.steady.samples_per_lap;
  }
  return static_cast<double>(profile.laps_per_epoch);
}

void add_epochs(LapProfile& profile, const Series& series) {
  const auto whole = std::find_if(series.log.epochs.begin(), series.log.epochs.end(),
                                  [](const EpochSpan& e) { return e.ended && e.laps > 0; });
  if (whole != series.log.epochs.end()) {
    profile.laps_per_epoch = whole->laps;
    profile.samples_per_epoch = whole->samples;
  }
  profile.epochs = whole_epochs(series.log, series.paused);
  profile.epoch_overhead = epoch_overhead(series, profile.steady.mean.mid.count());
  profile.checkpoint = checkpoint_cost(series.log);
  profile.checkpoints_per_epoch = checkpoints_per_epoch(series.log, laps_per_epoch(profile));
}

void add_validation(LapProfile& profile, const Series& series, const RunFacts& facts) {
  const LapLog& log = series.log;
  const std::int64_t samples =
      facts.validation_samples > 0 ? facts.validation_samples : profile.reported.validation_samples;
  profile.validation = overlapped_cost(series, samples, profile.steady);
  if (!profile.validation) profile.validation = validation_cost(log, samples, profile.steady);
  profile.validations = schedule_of(log, samples, laps_per_epoch(profile));
}

void add_teardown(LapProfile& profile, const Series& series, const RunFacts& facts) {
  const std::int64_t last_lap = series.log.laps.back().end_ns;
  if (facts.ended_by_itself) {
    const Seconds after = facts.wall - facts.before_log - from_ns(last_lap);
    const Seconds rest = after - series.paused.within(last_lap, series.log.last_ns);
    profile.teardown = Interval<Seconds>::exactly(std::max(Seconds{0}, rest));
    profile.real_total = facts.wall;
    return;
  }
  const Prior share = Priors{}.teardown_of_init;
  // A program that is stopped skips what it does itself at its end; the system's part it shows.
  profile.teardown = {facts.stop_to_end + profile.init * share.low,
                      facts.stop_to_end + profile.init * share.mid,
                      facts.stop_to_end + profile.init * share.high};
  profile.teardown_provenance = Provenance::predicted;
}

void note_log(LapProfile& profile, const Series& series) {
  const LapLog& log = series.log;
  const std::size_t finished = log.laps.size() - series.full.queued;
  if (finished == 0) {
    profile.notes.push_back(
        "laps report queued work, and none waited for the device: it may be slower than they look");
  } else if (series.full.queued > 0) {
    profile.notes.push_back(fmt::format(
        "laps report queued work; {} of {} waited for the device, those before share the time",
        finished, log.laps.size()));
  }
  if (!log.epochs.empty() && log.epochs.front().epoch > 1) {
    profile.notes.push_back(
        fmt::format("the program resumed at epoch {}", log.epochs.front().epoch));
  }
  if (series.full.scaled) {
    profile.notes.push_back("batches vary in size: laps are compared per sample");
  }
}

}  // namespace

Result<LapProfile> profile_of(const LapLog& log, const RunFacts& facts) {
  if (log.laps.empty()) return because("no laps");
  const Series series(log);
  LapProfile profile;
  profile.start = facts.start;
  profile.init = facts.before_log + from_ns(std::max<std::int64_t>(0, log.laps.front().begin_ns));
  profile.reported = log.plan.value_or(ReportedPlan{});
  profile.laps.reserve(series.costs.size());
  for (const double cost : series.costs) profile.laps.emplace_back(cost);
  profile.first_lap = profile.laps.front();
  profile.steady = steady_laps_of(series);
  profile.warm_up_excess = warm_up_excess(series, profile.steady.mean.mid.count());
  add_epochs(profile, series);
  add_validation(profile, series, facts);
  add_teardown(profile, series, facts);
  profile.observed = facts.ended_by_itself ? facts.wall : facts.before_log + from_ns(log.last_ns);
  profile.effects = effects_of(series, profile);
  note_log(profile, series);
  return profile;
}

Result<LapProfile> profile_of(const Run& run, std::int64_t first_epochs) {
  if (!has_laps(run.outcome)) return because(describe(run.outcome));
  RunFacts facts;
  facts.start = run.context.start;
  facts.ended_by_itself = std::holds_alternative<outcome::Ended>(run.outcome);
  facts.wall = run.wall();
  facts.validation_samples = run.context.plan.validation_samples;
  if (first_epochs > 0) {
    facts.ended_by_itself = false;
    const auto log = lapcast::first_epochs(laps_of(run), first_epochs);
    return log ? profile_of(*log, facts) : tl::unexpected(log.error());
  }
  // Longer than that is not the system's work but the program's answer to the request.
  constexpr Seconds kLongestFreeing{1};
  if (run.stop_sent_ns && from_ns(run.ended_ns - *run.stop_sent_ns) <= kLongestFreeing)
    facts.stop_to_end = from_ns(run.ended_ns - *run.stop_sent_ns);
  return profile_of(laps_of(run), facts);
}

}  // namespace lapcast
