#include "spot/spot_forecast.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kMostTime = 10 * 365.25 * 86400;

/// Holds one time in which the machine is there, and the one after it in which it is not.
struct SupplyCycle {
  double session = 0;
  double wait = 0;
  bool session_ended = true;
  bool wait_ended = true;
};

std::vector<SupplyCycle> cycles_of(std::span<const PresenceSpan> trace) {
  std::vector<SupplyCycle> cycles;
  bool open = false;  // the last cycle has no wait yet
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double length = trace[i].length().count();
    const bool ended = i + 1 < trace.size() && trace[i + 1].presence != Presence::unknown;
    if (trace[i].presence == Presence::there) {
      cycles.push_back({length, 0, ended, true});
    } else if (trace[i].presence == Presence::absent) {
      if (!open) cycles.push_back({});
      cycles.back().wait = length;
      cycles.back().wait_ended = ended;
    }
    open = trace[i].presence == Presence::there;
  }
  return cycles;
}

/// Simulates how a machine comes and goes.
class Supply {
 public:
  Supply(std::span<const PresenceSpan> trace, const SupplyConstants& constants)
      : cycles_(cycles_of(trace)), constants_(constants) {
    for (const SupplyCycle& cycle : cycles_) {
      session_ends_ += cycle.session > 0 && cycle.session_ended ? 1 : 0;
      wait_ends_ += cycle.wait > 0 && cycle.wait_ended ? 1 : 0;
      session_time_ += cycle.session;
      wait_time_ += cycle.wait;
    }
  }

  bool known() const { return session_time_ + wait_time_ > 0; }

  SpotTimes run(const SpotJob& job, SeededNumbers& numbers) const {
    const double session_scale = scale(session_time_, session_ends_, constants_.session, numbers);
    const double wait_scale = scale(wait_time_, wait_ends_, constants_.wait, numbers);
    const auto stretched = [&](SupplyCycle cycle) {
      return SupplyCycle{cycle.session * session_scale, cycle.wait * wait_scale};
    };
    SpotRun run(job);
    std::size_t at = 0;
    SupplyCycle cycle = first(session_scale, wait_scale, at, numbers);
    double time = 0;
    constexpr int kMostCycles = 1'000'000;  // a cycle may take no time
    for (int i = 0; i < kMostCycles && time < kMostTime; ++i) {
      if (run.use(cycle.session)) return run.times();
      run.wait(cycle.wait);
      time += cycle.session + cycle.wait;
      cycle = stretched(next(at, numbers));
    }
    return run.times();
  }

 private:
  /// Returns the mean with the prior's time and end added.
  double mean_of(double time, double ends, const DriftOfTimes& drift) const {
    return (time + constants_.prior_cycles * drift.prior_mean.count()) /
           (ends + constants_.prior_cycles);
  }

  /// Returns by what a simulated supply stretches the times that were observed.
  double scale(double time, double ends, const DriftOfTimes& drift, SeededNumbers& numbers) const {
    const double pulled =
        drift.pull * std::log(drift.prior_mean.count() / mean_of(time, ends, drift));
    const double variance = drift.deviation * drift.deviation + 1 / std::max(1.0, ends);
    return std::exp(pulled + std::sqrt(variance) * numbers.normal());
  }

  static double exponential(double mean, SeededNumbers& numbers) {
    return -mean * std::log(numbers.uniform());
  }

  double prior_share() const {
    return constants_.prior_cycles /
           (constants_.prior_cycles + static_cast<double>(cycles_.size()));
  }

  SupplyCycle prior_cycle(SeededNumbers& numbers) const {
    return {exponential(constants_.session.prior_mean.count(), numbers),
            exponential(constants_.wait.prior_mean.count(), numbers)};
  }

  /// Returns a cycle of the trace; what had not ended when it was seen last goes on.
  SupplyCycle seen(std::size_t i, SeededNumbers& numbers) const {
    SupplyCycle cycle = cycles_[i];
    if (!cycle.session_ended)
      cycle.session +=
          exponential(mean_of(session_time_, session_ends_, constants_.session), numbers);
    if (!cycle.wait_ended)
      cycle.wait += exponential(mean_of(wait_time_, wait_ends_, constants_.wait), numbers);
    return cycle;
  }

  SupplyCycle next(std::size_t& at, SeededNumbers& numbers) const {
    constexpr double kJump = 1.0 / 8;
    if (numbers.uniform() < prior_share()) return prior_cycle(numbers);
    at = numbers.uniform() < kJump
             ? static_cast<std::size_t>(numbers.uniform() * static_cast<double>(cycles_.size()))
             : (at + 1) % cycles_.size();
    return seen(at, numbers);
  }

  /// Returns what is left of the cycle at a random moment.
  SupplyCycle first(double session_scale, double wait_scale, std::size_t& at,
                    SeededNumbers& numbers) const {
    double left = numbers.uniform() * (session_time_ * session_scale + wait_time_ * wait_scale);
    for (at = 0; at + 1 < cycles_.size(); ++at) {
      const double length = cycles_[at].session * session_scale + cycles_[at].wait * wait_scale;
      if (left < length) break;
      left -= length;
    }
    const SupplyCycle cycle = seen(at, numbers);
    const double session = cycle.session * session_scale, wait = cycle.wait * wait_scale;
    return {std::max(0.0, session - left), std::max(0.0, wait - std::max(0.0, left - session))};
  }

  std::vector<SupplyCycle> cycles_;
  SupplyConstants constants_;
  double session_ends_ = 0, wait_ends_ = 0, session_time_ = 0, wait_time_ = 0;
};

Interval<Seconds> middle_95(const std::vector<double>& values) {
  return {Seconds{quantile(values, 0.025)}, Seconds{median(values)},
          Seconds{quantile(values, 0.975)}};
}

/// Makes a forecast of the times of simulated jobs.
class ForecastBuilder {
 public:
  void take(const SpotTimes& times) {
    time_.push_back(times.time().count());
    billed_.push_back(times.billed().count());
    if (!times.finished) return;
    finish_s_.push_back(time_.back());
    sum_.boot += times.boot;
    sum_.training += times.training;
    sum_.checkpoints += times.checkpoints;
    sum_.lost_work += times.lost_work;
    sum_.restarts += times.restarts;
    sum_.waiting += times.waiting;
    sum_.interruptions += times.interruptions;
  }

  SpotForecast forecast() && {
    SpotForecast forecast;
    forecast.time = middle_95(time_);
    forecast.billed = middle_95(billed_);
    const auto finished = static_cast<double>(finish_s_.size());
    forecast.finished = finished / static_cast<double>(time_.size());
    if (finished == 0) return forecast;
    std::ranges::sort(finish_s_);
    forecast.finish_s = std::move(finish_s_);
    SpotTimes& mean = forecast.mean = sum_;
    for (Seconds* part : {&mean.boot, &mean.training, &mean.checkpoints, &mean.lost_work,
                          &mean.restarts, &mean.waiting})
      *part /= finished;
    forecast.interruptions = static_cast<double>(sum_.interruptions) / finished;
    mean.interruptions = static_cast<std::uint64_t>(std::llround(forecast.interruptions));
    mean.finished = true;
    return forecast;
  }

 private:
  std::vector<double> time_, billed_, finish_s_;
  SpotTimes sum_;
};

}  // namespace

double SpotForecast::in_time(Seconds deadline) const {
  const auto late = std::ranges::upper_bound(finish_s, deadline.count());
  if (finish_s.empty()) return 0;
  const double share =
      static_cast<double>(late - finish_s.begin()) / static_cast<double>(finish_s.size());
  return share * finished;
}

Result<SpotForecast> forecast_on_spot(const SpotJob& job, std::span<const PresenceSpan> trace,
                                      const SupplyConstants& constants, int jobs,
                                      std::uint64_t seed) {
  if (auto reason = why_not_valid(job)) return tl::unexpected(*std::move(reason));
  const Supply supply(trace, constants);
  if (!supply.known()) return because("trace does not say when the machine was there");
  ForecastBuilder builder;
  SeededNumbers numbers(seed);
  for (int i = 0; i < std::max(jobs, 1); ++i) builder.take(supply.run(job, numbers));
  return std::move(builder).forecast();
}

Result<SpotForecast> forecast_on_spot(const SpotJob& job, const LifetimeDistribution& sessions,
                                      const LifetimeDistribution& waits, int jobs,
                                      std::uint64_t seed) {
  if (auto reason = why_not_valid(job)) return tl::unexpected(*std::move(reason));
  ForecastBuilder builder;
  SeededNumbers numbers(seed);
  constexpr std::uint64_t kMostInterruptions = 100'000;
  for (int i = 0; i < std::max(jobs, 1); ++i)
    builder.take(simulate(job, sessions, waits, numbers, kMostInterruptions));
  return std::move(builder).forecast();
}

}  // namespace lapcast
