#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/assessment.h"
#include "core/error.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

/// Says what a race is to find.
enum class RaceGoal {
  front,  // the cheapest, the fastest, and what lies on the Pareto front between them
  cost,   // the cheapest only
  time,   // the fastest only
};
std::string_view to_string(RaceGoal goal);

/// Describes a candidate of a race. Only candidates of one group are compared: batch sizes that
/// need different numbers of epochs are not.
struct RaceCandidate {
  std::string name;
  std::string group;
  std::optional<Offer> price;  // without one its cost cannot rule it out
};

/// Says how a candidate stands.
enum class RaceState {
  waiting,   // not started
  open,      // has run, and may still be best
  measured,  // has run as long as a plain probe, and may still be best
  decided,   // is surely before or behind each of those that are left
  out,       // can no longer be best
  failed,    // nothing can be forecast from it
};

/// Holds what is known of a candidate after a round.
struct RaceObservation {
  std::int64_t laps = 0;
  Seconds ran{0};  // since its start, pauses not counted
  // The time of the whole training, with bounds that hold after all rounds together
  // (anytime_total()); absent while there are too few laps.
  std::optional<Interval<Seconds>> total;
  bool measured = false;  // a plain probe would end here
};

/// Says whether a candidate is still in the race, and what was observed of it.
struct RaceStanding {
  RaceState state = RaceState::waiting;
  RaceObservation observed;
  std::string reason;  // when out or failed: "can no longer be the cheapest (at least ...)"
};

/// Holds the state of a race: which candidates are out and why, which go on and for how long. The
/// caller tells it what happens. A candidate's race ends when it is out, when it is decided, or
/// when it was measured as well as by a plain probe. Any of the decisions is wrong with probability
/// 1 - confidence at most, as far as the bounds that the race is given hold.
class Race {
 public:
  /// Laps of a candidate's first round; each later round is twice as long.
  static constexpr std::int64_t kFirstLaps = 3;

  /// Throws Error (usage) unless `confidence` is above 0 and below 1.
  Race(std::vector<RaceCandidate> candidates, RaceGoal goal, double confidence);

  /// Returns the error that the bounds of each candidate may have: (1 - confidence) / candidates,
  /// by the union bound; run number `attempt` (from 1) of one candidate has 1 / 2^attempt of that.
  double error_of_each(int attempt = 1) const;

  /// Notes what is known after a round, or the end, of a candidate, and ends the race for the
  /// candidates that it rules out.
  void report(std::size_t candidate, const RaceObservation& observed);
  /// Notes that nothing can be forecast from a candidate.
  void fail(std::size_t candidate, const std::string& reason);
  /// Puts a candidate out as was decided earlier, in a race that goes on.
  void put_out(std::size_t candidate, const RaceObservation& observed, const std::string& reason);

  std::size_t size() const { return candidates_.size(); }
  const RaceCandidate& candidate(std::size_t index) const { return candidates_[index]; }
  const RaceStanding& standing(std::size_t index) const { return standings_[index]; }
  bool goes_on(std::size_t index) const;

  /// Returns the candidates that go on, the next one first: those that were not started yet, the
  /// cheapest per hour first; then the best so far, so that the others are compared with a good
  /// measurement; then the others, the lowest lower bound first.
  std::vector<std::size_t> order() const;
  /// Returns the next round of a candidate that goes on: twice the laps, and no longer than until
  /// its running time alone rules it out.
  Round next_round(std::size_t index) const;

 private:
  /// Holds the bounds of a candidate's cost in nano-dollars and time in seconds: infinite where
  /// they are not known, low 0.
  struct Values {
    Interval<double> cost, time;
    const Interval<double>& operator[](RaceGoal measure) const {
      return measure == RaceGoal::time ? time : cost;
    }
  };

  Values values_of(std::size_t index) const;
  Values best_of_group(std::size_t index) const;
  void take(std::size_t index, const RaceObservation& observed);
  bool are_rivals(std::size_t index, std::size_t other) const;
  void put_out_if(std::size_t index, std::size_t other);
  bool is_decided(std::size_t index) const;
  void decide_group_of(std::size_t index);
  std::optional<std::string> why_out(std::size_t index, std::size_t other) const;
  bool leads(std::size_t index) const;
  double hope(std::size_t index) const;

  std::vector<RaceCandidate> candidates_;
  std::vector<RaceStanding> standings_;
  std::vector<Values> values_;
  RaceGoal goal_;
  double confidence_;
};

/// Holds what decides between suspending a candidate and restarting it: what it costs until its
/// next round, and what that round costs more when it begins anew.
struct PauseCosts {
  HourlyPrice price;
  bool can_be_suspended = true;    // false: a queued job would hold its nodes; memory may be short
  bool billed_while_idle = false;  // the machine is paid for, and nothing else runs on it meanwhile
  Seconds wait{0};                 // expected until its next round
  Seconds again{0};                // init and laps to be run again after a restart
};

/// Says how a candidate gives way to the others between two rounds.
enum class PauseMethod { suspend, restart };

/// Returns the method that costs less. At equal costs it is suspension, which loses nothing.
PauseMethod between_rounds(const PauseCosts& costs);

/// Returns bounds of the time of the whole training that hold with probability 1 - error, however
/// often the run is judged by them. Half of the error is for the mean of the laps
/// (anytime_half_width()), half for all that more laps do not tell: init, validation and the other
/// parts, and how runs differ from one another (the prior, or what earlier runs of the program
/// showed). Returns the reason when nothing is forecast.
Result<Interval<Seconds>> anytime_total(const Assessment& assessment, double error);

/// Returns the least time of a training that has not ended after `ran`: another run of it may be
/// quicker, by as much as starts and runs differ.
Seconds at_least(Seconds ran, double error);

}  // namespace lapcast
