#include "rank/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "forecast/lap_observations.h"
#include "forecast/lap_profile.h"
#include "rank/cost_curve.h"
#include "stats/distributions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr Interval<double> kUnbounded{0, kInfinite, kInfinite};

/// Returns a lower bound of a / b; 0 = not known. Their errors are independent, so those of the
/// logarithm of their ratio add in quadrature.
double least_ratio(const Interval<double>& a, const Interval<double>& b) {
  if (!(a.low > 0) || std::isinf(b.high)) return 0;
  if (!(b.mid > 0)) return kInfinite;
  if (std::isinf(a.mid)) return a.low / b.high;
  return a.mid / b.mid * std::exp(-std::hypot(std::log(a.mid / a.low), std::log(b.high / b.mid)));
}

constexpr double kLeastDeviation = 0.10;  // of a lap, after few laps: as the profile assumes
constexpr double kMostBelow = 0.95;       // of the total, as in own_forecast.cc

/// Widens one side of the steady lap's 95 % interval so that it holds after every round together.
double lap_reach(const SteadyLaps& steady, double half, double error) {
  const double n = std::max(1.0, steady.effective_laps);
  const double quantile = steady.observations < kFewestObservations
                              ? kZ95
                              : student_t_quantile(0.975, std::max(1.0, n - 1));
  return anytime_half_width(half / quantile, kLeastDeviation * steady.mean.mid.count(), n, error);
}

/// Holds how far the sums of the parts may be off in one direction, in seconds.
struct Reach {
  double laps = 0;
  double others = 0;
};

/// `half` returns how far a 95 % interval reaches in that direction. The interval of the part of
/// the laps may include other moments (Moments), so the lap's own interval counts.
template <class Half>
Reach reach_of(const Assessment& assessment, double error, Half half) {
  const SteadyLaps& steady = assessment.profile->steady;
  Reach reach;
  for (const ForecastPart& part : assessment.forecast->parts) {
    const PartError kind = facts_of(part.kind).error;
    if (kind == PartError::laps)
      reach.laps =
          lap_reach(steady, half(steady.mean).count(), error) * (part.time.mid / steady.mean.mid);
    else if (kind == PartError::other)  // the variation between runs includes their start
      reach.others = std::hypot(reach.others, half(part.time).count());
  }
  reach.others *= normal_quantile(1 - error / 2) / kZ95;
  return reach;
}

/// Holds how far the logarithm of a total may be off in one direction: because of the mean of the
/// laps, and because of what more laps do not show.
struct LogReach {
  double laps = 0;
  double rest = 0;
};

template <class Half, class Log>
LogReach log_reach(const Assessment& assessment, double error, double spread_of_moment, Half half,
                   Log log) {
  const Forecast& forecast = *assessment.forecast;
  const double mid = forecast.total.mid.count();
  const Reach reach = reach_of(assessment, error, half);
  const double moment = forecast.record.empty() ? spread_of_moment : 0;
  const double between =
      normal_quantile(1 - error / 2) * std::hypot(forecast.spread_between_runs, moment);
  return {log(reach.laps / mid), std::hypot(log(reach.others / mid), between)};
}

LogReach down_of(const Assessment& assessment, double error, double spread_of_moment) {
  return log_reach(
      assessment, error, spread_of_moment, [](const auto& t) { return t.mid - t.low; },
      [](double share) { return -std::log1p(-std::min(kMostBelow, share)); });
}

LogReach up_of(const Assessment& assessment, double error, double spread_of_moment) {
  return log_reach(
      assessment, error, spread_of_moment, [](const auto& t) { return t.high - t.mid; },
      [](double share) { return std::log1p(share); });
}

}  // namespace

std::string_view to_string(RaceGoal goal) {
  constexpr std::array<std::string_view, 3> kNames{"front", "cost", "time"};
  return kNames[static_cast<std::size_t>(goal)];
}

Race::Race(std::vector<RaceCandidate> candidates, RaceGoal goal, double confidence)
    : candidates_(std::move(candidates)),
      standings_(candidates_.size()),
      goal_(goal),
      confidence_(confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ExitCode::usage, "the confidence of a race is above 0 and below 100 %");
  values_.assign(size(), {kUnbounded, kUnbounded});
}

double Race::error_of_each(int attempt) const {
  const auto candidates = static_cast<double>(candidates_.size());
  const double pairs = std::max(1.0, candidates * (candidates - 1) / 2);
  return (1 - confidence_) / pairs * std::exp2(-attempt);
}

void Race::report(std::size_t candidate, const RaceObservation& observed) {
  take(candidate, observed);
  const RaceState before = standings_[candidate].state;
  if (before != RaceState::out && before != RaceState::decided)
    standings_[candidate].state =
        observed.measured || observed.settled ? RaceState::measured : RaceState::open;
  for (std::size_t other = 0; other < size(); ++other) {
    put_out_if(candidate, other);
    put_out_if(other, candidate);
  }
  decide_compared_with(candidate);
}

void Race::fail(std::size_t candidate, const std::string& reason) {
  standings_[candidate].state = RaceState::failed;
  standings_[candidate].reason = reason;
  decide_compared_with(candidate);
}

void Race::put_out(std::size_t candidate, const RaceObservation& observed,
                   const std::string& reason) {
  take(candidate, observed);
  standings_[candidate].state = RaceState::out;
  standings_[candidate].reason = reason;
}

bool Race::is_on_one_machine() const {
  return std::ranges::all_of(candidates_, [&](const RaceCandidate& each) {
    return !each.in_one_piece && each.place == candidates_.front().place;
  });
}

bool Race::goes_on(std::size_t index) const {
  const RaceState state = standings_[index].state;
  return state == RaceState::waiting || state == RaceState::open;
}

void Race::take(std::size_t index, const RaceObservation& observed) {
  standings_[index].observed = observed;
  values_[index] = values_of(index);
}

Race::Values Race::values_of(std::size_t index) const {
  const RaceObservation& observed = standings_[index].observed;
  const double least = least_total_after(observed.ran, error_of_each()).count();
  Interval<double> time{least, kInfinite, kInfinite};
  if (const auto& total = observed.total) {
    time.low = std::max(least, total->low.count());
    time.mid = std::max(time.low, total->mid.count());
    time.high = std::max(time.mid, total->high.count());
  }
  const std::optional<Offer>& price = candidates_[index].price;
  if (!price) return {kUnbounded, time};
  const CostCurve curve(*price);
  const auto through = [&](auto of) {
    return Interval<double>{of(time.low), of(time.mid), of(time.high)};
  };
  return {through([&](double t) { return std::isinf(t) ? t : curve.nano_dollars(t); }),
          through([&](double t) { return curve.seconds(t); })};
}

bool Race::are_compared(std::size_t index, std::size_t other) const {
  const RaceCandidate& a = candidates_[index];
  const RaceCandidate& b = candidates_[other];
  return a.group == b.group || a.is_baseline || b.is_baseline;
}

bool Race::are_rivals(std::size_t index, std::size_t other) const {
  return index != other && are_compared(index, other) &&
         standings_[other].state != RaceState::failed;
}

/// Returns the smallest bounds in the group of a candidate. A candidate that is out still rules out
/// others: its measurements are as valid.
Race::Values Race::best_of_group(std::size_t index) const {
  Values best{{kInfinite, kInfinite, kInfinite}, {kInfinite, kInfinite, kInfinite}};
  const auto lower = [](Interval<double>& smallest, const Interval<double>& value) {
    smallest.mid = std::min(smallest.mid, value.mid);
    smallest.high = std::min(smallest.high, value.high);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    if (i != index && !are_rivals(index, i)) continue;
    lower(best.cost, values_[i].cost);
    lower(best.time, values_[i].time);
  }
  return best;
}

void Race::put_out_if(std::size_t index, std::size_t other) {
  const RaceState state = standings_[index].state;
  const bool may_be_out =
      state == RaceState::open || state == RaceState::measured || state == RaceState::decided;
  if (!may_be_out || candidates_[index].is_baseline || !are_rivals(index, other)) return;
  if (auto why = why_out(index, other)) {
    standings_[index].state = RaceState::out;
    standings_[index].reason = *std::move(why);
  }
}

/// Returns whether more laps cannot change the order of candidates, in any measure of the race.
bool Race::is_decided(std::size_t index) const {
  const Values& own = values_[index];
  const auto apart = [](const Interval<double>& a, const Interval<double>& b) {
    return least_ratio(a, b) > 1 || least_ratio(b, a) > 1;
  };
  for (std::size_t i = 0; i < size(); ++i) {
    if (!are_rivals(index, i) || standings_[i].state == RaceState::out) continue;
    if (goal_ != RaceGoal::time && !apart(own.cost, values_[i].cost)) return false;
    if (goal_ != RaceGoal::cost && !apart(own.time, values_[i].time)) return false;
  }
  return true;
}

void Race::decide_compared_with(std::size_t index) {
  for (std::size_t i = 0; i < size(); ++i)
    if (standings_[i].state == RaceState::open && are_compared(index, i) && is_decided(i))
      standings_[i].state = RaceState::decided;
}

/// Returns the reason if the other candidate rules this one out; nullopt otherwise.
std::optional<std::string> Race::why_out(std::size_t index, std::size_t other) const {
  const auto ratio = [&](RaceGoal measure) {
    return least_ratio(values_[index][measure], values_[other][measure]);
  };
  const std::string& name = candidates_[other].name;
  if (goal_ != RaceGoal::front) {
    if (!(ratio(goal_) > 1)) return std::nullopt;
    const bool by_cost = goal_ == RaceGoal::cost;
    return fmt::format("can no longer be the {} (at least {:.2f} times the {} of {})",
                       by_cost ? "cheapest" : "fastest", ratio(goal_), by_cost ? "cost" : "time",
                       name);
  }
  if (!(ratio(RaceGoal::cost) > 1) || !(ratio(RaceGoal::time) > 1)) return std::nullopt;
  return fmt::format(
      "can no longer be the cheapest, the fastest or between them (at least {:.2f} times the cost "
      "and {:.2f} times the time of {})",
      ratio(RaceGoal::cost), ratio(RaceGoal::time), name);
}

bool Race::leads(std::size_t index) const {
  const Values best = best_of_group(index);
  const auto leads_by = [&](RaceGoal measure) {
    const double own = values_[index][measure].mid;
    return own <= best[measure].mid && !std::isinf(own);
  };
  return (goal_ != RaceGoal::time && leads_by(RaceGoal::cost)) ||
         (goal_ != RaceGoal::cost && leads_by(RaceGoal::time));
}

/// Returns the lower bound of a candidate relative to the upper bound of the best one; below 1 it
/// may win.
double Race::hope(std::size_t index) const {
  const Values best = best_of_group(index);
  const auto relative_to_best = [&](RaceGoal measure) {
    return values_[index][measure].low / best[measure].high;
  };
  if (goal_ != RaceGoal::front) return relative_to_best(goal_);
  return std::min(relative_to_best(RaceGoal::cost), relative_to_best(RaceGoal::time));
}

std::vector<std::size_t> Race::order() const {
  std::vector<std::tuple<int, double, std::size_t>> keys;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!goes_on(i)) continue;
    const auto& price = candidates_[i].price;
    if (standings_[i].state == RaceState::waiting)
      keys.emplace_back(0, price ? price->price.per_hour.dollars() : 0, i);
    else
      keys.emplace_back(leads(i) ? 1 : 2, hope(i), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> order;
  for (const auto& key : keys) order.push_back(std::get<2>(key));
  return order;
}

Round Race::next_round(std::size_t index) const {
  const RaceObservation& observed = standings_[index].observed;
  const bool is_whole = candidates_[index].in_one_piece || observed.laps >= kFirstLaps;
  Round round{is_whole ? 0 : kFirstLaps, Seconds{0}};
  // After this time least_total_after() alone rules the candidate out.
  const Values best = best_of_group(index);
  const auto& price = candidates_[index].price;
  const double per_second = price ? price->price.per_hour.dollars() * 1e9 / 3600 : 0;
  const double for_cost = per_second > 0 ? best.cost.high / per_second : kInfinite;
  const double until = goal_ == RaceGoal::cost   ? for_cost
                       : goal_ == RaceGoal::time ? best.time.high
                                                 : std::max(for_cost, best.time.high);
  const double hopeless = 1.01 * until / least_total_after(Seconds{1}, error_of_each()).count();
  if (hopeless < 1e9) round.ran = std::max(Seconds{hopeless}, 1.1 * observed.ran);
  if (candidates_[index].in_one_piece || observed.laps < kFirstLaps) return round;
  // Laps that never become precise would otherwise run to the end, though a few may rule it out.
  const Seconds twice = observed.ran + std::max(kShortestRound, observed.in_laps);
  round.ran = round.ran > Seconds{0} ? std::min(round.ran, twice) : twice;
  return round;
}

Result<Interval<Seconds>> anytime_total(const Assessment& assessment, double error,
                                        double spread_of_moment) {
  if (!assessment.forecast) return tl::unexpected(assessment.forecast.error());
  const double mid = assessment.forecast->total.mid.count();
  const LogReach down = down_of(assessment, error, spread_of_moment);
  const LogReach up = up_of(assessment, error, spread_of_moment);
  return Interval<Seconds>{Seconds{mid * std::exp(-(down.laps + down.rest))}, Seconds{mid},
                           Seconds{mid * std::exp(up.laps + up.rest)}};
}

bool laps_are_settled(const Assessment& assessment, double error, double spread_of_moment) {
  constexpr double kHardly = 1.0 / 3;
  if (!assessment.forecast) return false;
  if (assessment.profile->steady.observations < kFewestObservations) return false;
  const LogReach down = down_of(assessment, error, spread_of_moment);
  const LogReach up = up_of(assessment, error, spread_of_moment);
  return down.laps <= kHardly * down.rest && up.laps <= kHardly * up.rest;
}

Seconds least_total_after(Seconds ran, double error) {
  return ran * std::exp(-normal_quantile(1 - error / 2) * Priors{}.start_spread_cold);
}

}  // namespace lapcast
