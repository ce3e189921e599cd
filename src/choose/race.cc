#include "choose/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "choose/cost_curve.h"
#include "choose/race_bounds.h"
#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string in_words(RaceGoal measure, double value) {
  if (measure == RaceGoal::time) return format_duration(Seconds{value});
  constexpr double kMost = 9.2e18;  // nano-dollars, of what Money holds
  const std::int64_t nanos = std::llround(std::clamp(value, -kMost, kMost));
  return rounded_decimal(Money::from_nanos(nanos)) + " USD";
}

}  // namespace

std::string_view to_string(RaceGoal goal) {
  switch (goal) {
    case RaceGoal::front:
      return "front";
    case RaceGoal::cost:
      return "cost";
    case RaceGoal::time:
      return "time";
  }
  return "?";
}

Race::Race(std::vector<RaceCandidate> candidates, RaceGoal goal, double confidence)
    : candidates_(std::move(candidates)),
      standings_(candidates_.size()),
      goal_(goal),
      confidence_(confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ExitCode::usage, "the confidence of a race is above 0 and below 100 %");
  const Value unknown{0, kInfinite, kInfinite};
  values_.assign(size(), {unknown, unknown});
  for (const RaceCandidate& candidate : candidates_)
    best_[candidate.group] = {kInfinite, kInfinite, kInfinite, kInfinite};
}

double Race::error_of_each(int attempt) const {
  const auto candidates = static_cast<double>(std::max<std::size_t>(1, candidates_.size()));
  return (1 - confidence_) / candidates * std::exp2(-attempt);
}

void Race::report(std::size_t candidate, const RaceObservation& observed) {
  take(candidate, observed);
  const RaceState before = standings_[candidate].state;
  if (before != RaceState::out && before != RaceState::decided)
    standings_[candidate].state = observed.measured ? RaceState::measured : RaceState::open;
  for (std::size_t other = 0; other < size(); ++other) {
    put_out_if(candidate, other);
    put_out_if(other, candidate);
  }
  decide_group_of(candidate);
}

void Race::fail(std::size_t candidate, const std::string& reason) {
  standings_[candidate].state = RaceState::failed;
  standings_[candidate].reason = reason;
  decide_group_of(candidate);
}

void Race::put_out(std::size_t candidate, const RaceObservation& observed,
                   const std::string& reason) {
  take(candidate, observed);
  standings_[candidate].state = RaceState::out;
  standings_[candidate].reason = reason;
}

bool Race::goes_on(std::size_t index) const {
  const RaceState state = standings_[index].state;
  return state == RaceState::waiting || state == RaceState::open;
}

/// Notes what is known. A candidate that is out still rules out others: it is as real as they are.
void Race::take(std::size_t index, const RaceObservation& observed) {
  standings_[index].observed = observed;
  values_[index] = values_of(index);
  Best& best = best_[candidates_[index].group];
  best = {kInfinite, kInfinite, kInfinite, kInfinite};
  for (std::size_t i = 0; i < size(); ++i) {
    if (candidates_[i].group != candidates_[index].group ||
        standings_[i].state == RaceState::failed)
      continue;
    best.cost_mid = std::min(best.cost_mid, values_[i].cost.mid);
    best.cost_high = std::min(best.cost_high, values_[i].cost.high);
    best.time_mid = std::min(best.time_mid, values_[i].time.mid);
    best.time_high = std::min(best.time_high, values_[i].time.high);
  }
}

Race::Values Race::values_of(std::size_t index) const {
  const RaceObservation& observed = standings_[index].observed;
  const double least = at_least(observed.ran, error_of_each()).count();
  Value time{least, kInfinite, kInfinite};
  if (observed.total)
    time = {std::max(least, observed.total->low.count()), observed.total->mid.count(),
            observed.total->high.count()};
  const std::optional<Offer>& price = candidates_[index].price;
  if (!price) return {{0, kInfinite, kInfinite}, time};
  const CostCurve curve(*price);
  const auto through = [&](auto of) { return Value{of(time.low), of(time.mid), of(time.high)}; };
  return {through([&](double t) { return std::isinf(t) ? t : curve.nano_dollars(t); }),
          through([&](double t) { return curve.seconds(t); })};
}

bool Race::may_be_out(std::size_t index) const {
  const RaceState state = standings_[index].state;
  return state == RaceState::open || state == RaceState::measured || state == RaceState::decided;
}

void Race::put_out_if(std::size_t index, std::size_t other) {
  const bool compared = index != other && may_be_out(index) &&
                        candidates_[index].group == candidates_[other].group &&
                        standings_[other].state != RaceState::failed;
  if (!compared) return;
  const auto why = why_out(index, other);
  if (!why) return;
  standings_[index].state = RaceState::out;
  standings_[index].reason = *why;
}

/// Returns whether more laps cannot change who is before whom, in any measure of the race.
bool Race::is_decided(std::size_t index) const {
  const Values& own = values_[index];
  const auto apart = [&](const Value& a, const Value& b) {
    return a.low > b.high || b.low > a.high;
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const RaceState state = standings_[i].state;
    const bool left = state != RaceState::out && state != RaceState::failed;
    if (i == index || !left || candidates_[i].group != candidates_[index].group) continue;
    if (goal_ != RaceGoal::time && !apart(own.cost, values_[i].cost)) return false;
    if (goal_ != RaceGoal::cost && !apart(own.time, values_[i].time)) return false;
  }
  return true;
}

void Race::decide_group_of(std::size_t index) {
  for (std::size_t i = 0; i < size(); ++i)
    if (standings_[i].state == RaceState::open &&
        candidates_[i].group == candidates_[index].group && is_decided(i))
      standings_[i].state = RaceState::decided;
}

/// Returns the reason when the other candidate rules this one out.
std::optional<std::string> Race::why_out(std::size_t index, std::size_t other) const {
  const Values& own = values_[index];
  const Values& its = values_[other];
  const auto beaten = [&](RaceGoal measure) { return own[measure].low > its[measure].high; };
  if (goal_ != RaceGoal::front) {
    if (!beaten(goal_)) return std::nullopt;
    return fmt::format("can no longer be the {} (at least {}, best at most {})",
                       goal_ == RaceGoal::cost ? "cheapest" : "fastest",
                       in_words(goal_, own[goal_].low), in_words(goal_, its[goal_].high));
  }
  if (!beaten(RaceGoal::cost) || !beaten(RaceGoal::time)) return std::nullopt;
  return fmt::format(
      "can no longer be the cheapest, the fastest or between them (at least {} and {}; {} at most "
      "{} and {})",
      in_words(RaceGoal::cost, own.cost.low), in_words(RaceGoal::time, own.time.low),
      candidates_[other].name, in_words(RaceGoal::cost, its.cost.high),
      in_words(RaceGoal::time, its.time.high));
}

bool Race::leads(std::size_t index) const {
  const Best& best = best_of(index);
  const Values& own = values_[index];
  const bool cheapest = own.cost.mid <= best.cost_mid && !std::isinf(own.cost.mid);
  const bool fastest = own.time.mid <= best.time_mid && !std::isinf(own.time.mid);
  return (cheapest && goal_ != RaceGoal::time) || (fastest && goal_ != RaceGoal::cost);
}

/// Returns the best that can be hoped for, relative to what the best one takes at most; below 1 the
/// candidate may win.
double Race::hope(std::size_t index) const {
  const Best& best = best_of(index);
  const double cost = values_[index].cost.low / best.cost_high;
  const double time = values_[index].time.low / best.time_high;
  if (goal_ == RaceGoal::cost) return cost;
  return goal_ == RaceGoal::time ? time : std::min(cost, time);
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
  Round round{std::max(kFirstLaps, 2 * observed.laps), Seconds{0}};
  // A candidate that has run for so long is ruled out by at_least() alone.
  const Best& best = best_of(index);
  const auto& price = candidates_[index].price;
  const double per_second = price ? price->price.per_hour.dollars() * 1e9 / 3600 : 0;
  const double for_cost = per_second > 0 ? best.cost_high / per_second : kInfinite;
  const double until = goal_ == RaceGoal::cost   ? for_cost
                       : goal_ == RaceGoal::time ? best.time_high
                                                 : std::max(for_cost, best.time_high);
  const double hopeless = 1.01 * until / at_least(Seconds{1}, error_of_each()).count();
  if (hopeless < 1e9) round.ran = std::max(Seconds{hopeless}, 1.1 * observed.ran);
  return round;
}

PauseMethod between_rounds(const PauseCosts& costs) {
  if (!costs.can_be_suspended) return PauseMethod::restart;
  const Seconds idle = costs.billed_while_idle ? costs.wait : Seconds{0};
  // Both sides have the same price: where it is not 0, times can be compared.
  const bool idling_costs_more = costs.price.per_hour > Money() && idle > costs.again;
  return idling_costs_more ? PauseMethod::restart : PauseMethod::suspend;
}

}  // namespace lapcast
