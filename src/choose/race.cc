#include "choose/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "choose/cost_curve.h"
#include "choose/race_bounds.h"
#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string in_words(RaceGoal measure, double value) {
  if (measure == RaceGoal::time) return format_duration(Seconds{value});
  return rounded_decimal(Money::from_nanos(std::llround(value))) + " USD";
}

}  // namespace

std::string_view to_string(RaceGoal goal) {
  switch (goal) {
    case RaceGoal::front: return "front";
    case RaceGoal::cost: return "cost";
    case RaceGoal::time: return "time";
  }
  return "?";
}

Race::Race(std::vector<Racer> racers, RaceGoal goal, double confidence)
    : racers_(std::move(racers)), standings_(racers_.size()), goal_(goal), confidence_(confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ExitCode::usage, "the confidence of a race is above 0 and below 100 %");
}

double Race::error_of_each(int attempt) const {
  const auto racers = static_cast<double>(std::max<std::size_t>(1, racers_.size()));
  return (1 - confidence_) / racers * std::exp2(-attempt);
}

void Race::report(std::size_t racer, const RacerLook& look) {
  standings_[racer].look = look;
  standings_[racer].state = look.measured ? RacerState::measured : RacerState::open;
  settle();
}

void Race::fail(std::size_t racer, const std::string& reason) {
  standings_[racer].state = RacerState::failed;
  standings_[racer].reason = reason;
}

void Race::put_out(std::size_t racer, const RacerLook& look, const std::string& reason) {
  standings_[racer] = {RacerState::out, look, reason};
}

bool Race::goes_on(std::size_t index) const {
  const RacerState state = standings_[index].state;
  return state == RacerState::waiting || state == RacerState::open;
}

/// Whoever is out stays out: its bounds were valid then.
void Race::settle() {
  for (std::size_t i = 0; i < size(); ++i) {
    Standing& standing = standings_[i];
    if (standing.state != RacerState::open && standing.state != RacerState::measured) continue;
    if (const auto why = why_out(i)) {
      standing.state = RacerState::out;
      standing.reason = *why;
    }
  }
}

/// A racer whose bounds may rule out others: one that is out is as real as the rest.
bool Race::counts(std::size_t index) const {
  const RacerState state = standings_[index].state;
  return state != RacerState::waiting && state != RacerState::failed;
}

std::optional<Race::Value> Race::value(std::size_t index, RaceGoal measure) const {
  const RacerLook& look = standings_[index].look;
  const std::optional<Offer>& price = racers_[index].price;
  if (!counts(index) || (measure == RaceGoal::cost && !price)) return std::nullopt;
  const double least = at_least(look.ran, error_of_each()).count();
  Value value{least, kInfinite, kInfinite};
  if (look.total)
    value = {std::max(least, look.total->low.count()), look.total->mid.count(),
             look.total->high.count()};
  if (!price) return value;
  const CostCurve curve(*price);
  const auto of = [&](double time) {
    return measure == RaceGoal::cost ? curve.nano_dollars(time) : curve.seconds(time);
  };
  return Value{of(value.low), of(value.mid), of(value.high)};
}

std::optional<std::string> Race::why_out(std::size_t index) const {
  return goal_ == RaceGoal::front ? dominated(index) : beaten(index, goal_);
}

std::optional<std::string> Race::beaten(std::size_t index, RaceGoal measure) const {
  const auto own = value(index, measure);
  if (!own) return std::nullopt;
  double best = kInfinite;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i == index || racers_[i].group != racers_[index].group) continue;
    if (const auto other = value(i, measure)) best = std::min(best, other->high);
  }
  if (!(own->low > best)) return std::nullopt;
  return fmt::format("can no longer be the {} (at least {}, best at most {})",
                     measure == RaceGoal::cost ? "cheapest" : "fastest",
                     in_words(measure, own->low), in_words(measure, best));
}

std::optional<std::string> Race::dominated(std::size_t index) const {
  const auto cost = value(index, RaceGoal::cost);
  const auto time = value(index, RaceGoal::time);
  if (!cost || !time) return std::nullopt;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i == index || racers_[i].group != racers_[index].group) continue;
    const auto other_cost = value(i, RaceGoal::cost);
    const auto other_time = value(i, RaceGoal::time);
    if (!other_cost || !other_time) continue;
    if (!(cost->low > other_cost->high && time->low > other_time->high)) continue;
    return fmt::format(
        "can no longer be the cheapest, the fastest or between them (at least {} and {}; {} at most "
        "{} and {})",
        in_words(RaceGoal::cost, cost->low), in_words(RaceGoal::time, time->low), racers_[i].name,
        in_words(RaceGoal::cost, other_cost->high), in_words(RaceGoal::time, other_time->high));
  }
  return std::nullopt;
}

bool Race::is_leader(std::size_t index, RaceGoal measure) const {
  const auto own = value(index, measure);
  if (!own || goal_ == (measure == RaceGoal::cost ? RaceGoal::time : RaceGoal::cost)) return false;
  if (std::isinf(own->mid)) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto other = value(i, measure);
    if (racers_[i].group == racers_[index].group && other && other->mid < own->mid) return false;
  }
  return true;
}

/// The best that can be hoped for, relative to what is the best at most: below 1 for all that go on.
double Race::hope(std::size_t index) const {
  double hope = kInfinite;
  for (const RaceGoal measure : {RaceGoal::cost, RaceGoal::time}) {
    if (goal_ != RaceGoal::front && goal_ != measure) continue;
    const auto own = value(index, measure);
    if (!own) continue;
    double best = kInfinite;
    for (std::size_t i = 0; i < size(); ++i) {
      if (racers_[i].group != racers_[index].group) continue;
      if (const auto other = value(i, measure)) best = std::min(best, other->high);
    }
    hope = std::min(hope, own->low / best);
  }
  return hope;
}

std::vector<std::size_t> Race::order() const {
  using Key = std::tuple<int, double, std::size_t>;
  std::vector<Key> keys;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!goes_on(i)) continue;
    if (standings_[i].state == RacerState::waiting) {
      const auto& price = racers_[i].price;
      keys.emplace_back(0, price ? price->price.per_hour.dollars() : 0, i);
    } else {
      const bool leads = is_leader(i, RaceGoal::cost) || is_leader(i, RaceGoal::time);
      keys.emplace_back(leads ? 1 : 2, hope(i), i);
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> order;
  for (const Key& key : keys) order.push_back(std::get<2>(key));
  return order;
}

/// Running time after which at_least() alone rules the racer out; infinite while nobody is known.
double Race::hopeless_after(std::size_t index) const {
  const double factor = 1 / at_least(Seconds{1}, error_of_each()).count();
  const auto& price = racers_[index].price;
  double soonest = kInfinite;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i == index || racers_[i].group != racers_[index].group) continue;
    const auto time = value(i, RaceGoal::time);
    const auto cost = value(i, RaceGoal::cost);
    double until = 0;
    if (goal_ != RaceGoal::cost) until = time ? time->high : kInfinite;
    if (goal_ != RaceGoal::time) {
      const double per_second = price ? price->price.per_hour.dollars() * 1e9 / 3600 : 0;
      until = std::max(until, cost && per_second > 0 ? cost->high / per_second : kInfinite);
    }
    soonest = std::min(soonest, until * factor);
  }
  return soonest;
}

Round Race::next_round(std::size_t index) const {
  const std::int64_t laps = standings_[index].look.laps;
  Round round{std::max(kFirstLaps, 2 * laps), Seconds{0}};
  // A little later, so that it is out when it is looked at then.
  const double until = 1.01 * hopeless_after(index);
  if (until < 1e9) round.ran = std::max(Seconds{until}, standings_[index].look.ran);
  return round;
}

}  // namespace lapcast
