#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/interval.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "run/round.h"

namespace lapcast {

/// What a race is to find.
enum class RaceGoal {
  front,  // the cheapest, the fastest, and what lies on the Pareto front between them
  cost,   // the cheapest only
  time,   // the fastest only
};
std::string_view to_string(RaceGoal goal);

/// A candidate of a race. Only racers of one group are compared: batch sizes that need different
/// numbers of epochs are not.
struct RaceCandidate {
  std::string name;
  std::string group;
  std::optional<Offer> price;  // without one it cannot be put out by its cost
};

enum class RaceState {
  waiting,   // not started
  open,      // has run, and may still be best
  measured,  // has run as long as a plain probe, and may still be best
  decided,   // its place is known: it is surely before or behind each of those that are left
  out,       // can no longer be best
  failed,    // nothing can be forecast from it
};

/// What is known of a racer after a round.
struct RaceObservation {
  std::int64_t laps = 0;
  Seconds ran{0};                          // since its start, pauses not counted
  std::optional<Interval<Seconds>> total;  // of the whole training, at every look together:
                                           // anytime_total(); none while there are too few laps
  bool measured = false;                   // a plain probe would end here
};

struct RaceStanding {
  RaceState state = RaceState::waiting;
  RaceObservation look;
  std::string reason;  // of out and failed: "can no longer be the cheapest (at least ...)"
};

/// The state of a race: who is out and why, who goes on and for how long. What happens between is
/// told to it; it asks nobody. It ends for a racer that is out, whose place is decided, or that was
/// measured as well as by a plain probe. The decisions are wrong, in any of them, with probability
/// 1 - confidence at most, as far as the bounds that it is given hold.
class Race {
 public:
  static constexpr std::int64_t kFirstLaps = 3;  // of the first round; each later one is twice as long

  /// confidence: above 0, below 1.
  Race(std::vector<RaceCandidate> racers, RaceGoal goal, double confidence);

  /// For the bounds of each racer: (1 - confidence) / racers, by the union bound; the run of number
  /// `attempt` (from 1) of one racer has 1 / 2^attempt of that.
  double error_of_each(int attempt = 1) const;

  /// After a round, or the end, of a racer: notes what is known and puts out whom that rules out.
  void report(std::size_t racer, const RaceObservation& look);
  /// Nothing can be forecast from it.
  void fail(std::size_t racer, const std::string& reason);
  /// As decided earlier, in a race that goes on.
  void put_out(std::size_t racer, const RaceObservation& look, const std::string& reason);

  std::size_t size() const { return racers_.size(); }
  const RaceCandidate& racer(std::size_t index) const { return racers_[index]; }
  const RaceStanding& standing(std::size_t index) const { return standings_[index]; }
  bool goes_on(std::size_t index) const;

  /// Those that go on, the next one first: who was not started yet, the cheapest per hour first;
  /// then the best so far, so that the others are held against a good measurement; then by the best
  /// that can be hoped for.
  std::vector<std::size_t> order() const;
  /// The next round of a racer that goes on: twice the laps, and no longer than until its running
  /// time alone rules it out.
  Round next_round(std::size_t index) const;

 private:
  /// Of a racer under one measure, the time in seconds or the cost in nano-dollars. Infinite where
  /// it is not known, low 0.
  struct Value {
    double low = 0, mid = 0, high = 0;
  };
  struct Values {
    Value cost, time;
    const Value& operator[](RaceGoal measure) const {
      return measure == RaceGoal::time ? time : cost;
    }
  };
  /// Of a group: the smallest values so far.
  struct Best {
    double cost_mid, cost_high, time_mid, time_high;
  };

  Values values_of(std::size_t index) const;
  void take(std::size_t index, const RaceObservation& look);
  bool may_be_out(std::size_t index) const;
  void put_out_if(std::size_t index, std::size_t other);
  bool is_decided(std::size_t index) const;
  void decide_group_of(std::size_t index);
  std::optional<std::string> why_out(std::size_t index, std::size_t other) const;
  const Best& best_of(std::size_t index) const { return best_.at(racers_[index].group); }
  bool leads(std::size_t index) const;
  double hope(std::size_t index) const;

  std::vector<RaceCandidate> racers_;
  std::vector<RaceStanding> standings_;
  std::vector<Values> values_;
  std::map<std::string, Best> best_;  // by group
  RaceGoal goal_;
  double confidence_;
};

}  // namespace lapcast
