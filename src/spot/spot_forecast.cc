#include "spot/spot_forecast.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::uint64_t kMostInterruptions = 100'000;
constexpr std::uint64_t kMostOfACase = 10'000;
constexpr double kMostUnfinished = 0.01;  // of the cases

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
    if (times.interruptions > 0) return;
    ++undisturbed_;
    undisturbed_billed_ = times.billed();
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
    forecast.undisturbed = undisturbed_ / finished;
    forecast.undisturbed_billed = undisturbed_billed_;
    return forecast;
  }

 private:
  std::vector<double> time_, billed_, finish_s_;
  SpotTimes sum_;
  double undisturbed_ = 0;
  Seconds undisturbed_billed_{0};
};

/// Simulates the given number of jobs, each with random numbers of its own; `job_of` gives the job
/// and `take` takes its times. Returns the reason when too many do not finish.
template <class JobOf, class Take>
std::optional<Reason> simulate_apart(std::size_t jobs, const SpotSupply& supply, std::uint64_t seed,
                                     JobOf job_of, Take take) {
  SeededNumbers seeds(seed);
  const double most = kMostUnfinished * static_cast<double>(jobs);
  double unfinished = 0;
  for (std::size_t k = 0; k < jobs; ++k) {
    const SpotJob& job = job_of(k);
    if (auto reason = why_not_valid(job)) return reason;
    SeededNumbers numbers(static_cast<std::uint64_t>(seeds.uniform() * 0x1p63));
    const SpotTimes times = supply(job, numbers, kMostOfACase);
    unfinished += times.finished ? 0 : 1;
    if (unfinished > most)
      return Reason{
          "with these interruptions the training may never finish: more than 1 % of the simulated "
          "ones do not within 10 years and 10,000 interruptions"};
    take(times);
  }
  return std::nullopt;
}

}  // namespace

double SpotForecast::in_time(Seconds deadline) const {
  const auto late = std::ranges::upper_bound(finish_s, deadline.count());
  if (finish_s.empty()) return 0;
  const double share =
      static_cast<double>(late - finish_s.begin()) / static_cast<double>(finish_s.size());
  return share * finished;
}

Result<SpotForecast> forecast_on_spot(SpotJob job, std::span<const PresenceSpan> trace,
                                      const SupplyConstants& constants, int jobs,
                                      std::uint64_t seed, std::span<const double> works) {
  if (auto reason = why_not_valid(job)) return tl::unexpected(*std::move(reason));
  const auto supply = supply_like(trace, constants);
  if (!supply) return tl::unexpected(supply.error());
  ForecastBuilder builder;
  SeededNumbers numbers(seed);
  const std::size_t count =
      works.empty() ? static_cast<std::size_t>(std::max(jobs, 1)) : works.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (!works.empty()) job.work = Seconds{works[k]};
    builder.take((*supply)(job, numbers, kMostInterruptions));
  }
  return std::move(builder).forecast();
}

Result<SpotForecast> forecast_on_spot(const SpotJob& job, const LifetimeDistribution& sessions,
                                      const LifetimeDistribution& waits, int jobs,
                                      std::uint64_t seed) {
  if (auto reason = why_not_valid(job)) return tl::unexpected(*std::move(reason));
  ForecastBuilder builder;
  SeededNumbers numbers(seed);
  for (int i = 0; i < std::max(jobs, 1); ++i)
    builder.take(simulate(job, sessions, &waits, numbers, kMostInterruptions));
  return std::move(builder).forecast();
}

Result<SpotCases> simulated_cases(SpotJob job, std::span<const double> works,
                                  const SpotSupply& supply, std::uint64_t seed) {
  SpotCases cases;
  const auto job_of = [&](std::size_t k) -> const SpotJob& {
    job.work = Seconds{works[k]};
    return job;
  };
  const auto reason =
      simulate_apart(works.size(), supply, seed, job_of, [&](const SpotTimes& times) {
        cases.time_s.push_back(times.time().count());
        cases.billed_s.push_back(times.billed().count());
        cases.interruptions.push_back(static_cast<double>(times.interruptions));
      });
  if (reason) return tl::unexpected(*reason);
  return cases;
}

Result<SpotForecast> forecast_of_cases(const SpotJob& job, const SpotCases& cases,
                                       const SpotSupply& supply, std::uint64_t seed) {
  ForecastBuilder builder;
  const auto reason = simulate_apart(
      cases.time_s.size(), supply, seed, [&](std::size_t) -> const SpotJob& { return job; },
      [&](const SpotTimes& times) { builder.take(times); });
  if (reason) return tl::unexpected(*reason);
  SpotForecast forecast = std::move(builder).forecast();
  const Interval<Seconds> time = middle_95(cases.time_s), billed = middle_95(cases.billed_s);
  forecast.time = {std::min(time.low, forecast.time.mid), forecast.time.mid,
                   std::max(time.high, forecast.time.mid)};
  forecast.billed = {std::min(billed.low, forecast.billed.mid), forecast.billed.mid,
                     std::max(billed.high, forecast.billed.mid)};
  forecast.finish_s = cases.time_s;
  std::ranges::sort(forecast.finish_s);
  return forecast;
}

}  // namespace lapcast
