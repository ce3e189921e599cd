#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "history/assessment.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

/// Sets the default confidence of a race in its result.
inline constexpr double kRaceConfidence = 0.95;

enum class RaceGoal {
  front,  // the cheapest, the fastest, and the Pareto front between them
  cost,   // only the cheapest
  time,   // only the fastest
};
std::string_view to_string(RaceGoal goal);

/// Describes a candidate of a race. Only candidates of one group are compared: batch sizes that
/// need different numbers of epochs belong to different groups.
struct RaceCandidate {
  std::string name;
  std::string group;
  std::optional<Offer> price;  // without a price it cannot be ruled out by cost
  /// True for what all groups are compared with: it is a rival in each of them, and never out.
  bool is_baseline = false;
  /// True if its program cannot be suspended, as in the queue of a cluster: its first round is a
  /// whole plain probe.
  bool in_one_piece = false;
  std::string place = {};  // where it runs, as RunContext::place
};

enum class RaceState {
  waiting,   // not started
  open,      // has run, and may still be the best
  measured,  // more laps would hardly help, and it may still be the best
  decided,   // its order relative to each candidate that is not out is certain
  out,       // can no longer be the best
  failed,    // has no forecast
};

/// Holds what is known of a candidate after a round.
struct RaceObservation {
  std::int64_t laps = 0;
  Seconds ran{0};  // since its start, without pauses
  /// Gives the time of the whole training, with bounds that hold in all rounds together
  /// (anytime_total()); absent while there are too few laps.
  std::optional<Interval<Seconds>> total;
  bool measured = false;  // a plain probe would end here
  Seconds in_laps{0};     // the part of `ran` spent in laps
  bool settled = false;   // laps_are_settled()
};

/// Says whether a candidate is still in the race, and what was observed of it.
struct RaceStanding {
  RaceState state = RaceState::waiting;
  RaceObservation observed;
  std::string reason;  // when out or failed: "can no longer be the cheapest (at least ...)"
};

/// Holds the state of a race: which candidates are out and why, and which continue for how long.
/// The caller runs the candidates and reports what was observed. The race of a candidate ends when
/// it is out, decided, measured or failed. All rounds of a candidate together take at most as long
/// as a plain probe of the same laps. The probability that any decision is wrong is at most 1 -
/// confidence, provided that the reported bounds have the error of error_of_each(), and that the
/// errors of two candidates are independent.
class Race {
 public:
  /// Sets the number of laps of a candidate's first round. Each later round doubles the time of its
  /// laps and adds at least kShortestRound, until its probe ends.
  static constexpr std::int64_t kFirstLaps = 3;
  static constexpr Seconds kShortestRound{1};

  /// Throws Error (usage) unless `confidence` is above 0 and below 1.
  Race(std::vector<RaceCandidate> candidates, RaceGoal goal, double confidence);

  /// Returns the `error` for anytime_total() of a candidate's run number `attempt` >= 1: (1 -
  /// confidence) / pairs of candidates / 2^attempt. By the union bound the error of all comparisons
  /// together is then at most 1 - confidence.
  double error_of_each(int attempt = 1) const;

  /// Records what is known after a round, or the end, of a candidate, and ends the race for the
  /// candidates that this rules out or decides. A candidate that is out stays out.
  void report(std::size_t candidate, const RaceObservation& observed);
  /// Ends the race of a candidate without a forecast; it rules out no other.
  void fail(std::size_t candidate, const std::string& reason);
  /// Puts a candidate out, as decided in an earlier session of the same race.
  void put_out(std::size_t candidate, const RaceObservation& observed, const std::string& reason);

  std::size_t size() const { return candidates_.size(); }
  const RaceCandidate& candidate(std::size_t index) const { return candidates_[index]; }
  const RaceStanding& standing(std::size_t index) const { return standings_[index]; }
  /// Returns whether all candidates run on one machine, whose slow drift affects all alike.
  bool is_on_one_machine() const;
  /// Returns whether the candidate is waiting or open.
  bool goes_on(std::size_t index) const;

  /// Returns the candidates that continue, in the order in which to run them: those not started
  /// yet, the cheapest per hour first; then the best of each group so far, so that the others are
  /// compared with a good measurement; then the others, the most promising first (by the lower
  /// bound relative to the smallest upper bound of the group).
  std::vector<std::size_t> order() const;
  /// Returns the limits of the next round of a candidate that continues, counted from the start of
  /// its run: the first laps, or twice the time of its laps so far; and the time at which
  /// least_total_after() alone rules it out. One that runs in one piece has only the last limit.
  Round next_round(std::size_t index) const;

 private:
  /// Holds the bounds of a candidate's cost in nano-dollars and time in seconds: if not known,
  /// infinite with a low of 0.
  struct Values {
    Interval<double> cost, time;
    const Interval<double>& operator[](RaceGoal measure) const {
      return measure == RaceGoal::time ? time : cost;
    }
  };

  Values values_of(std::size_t index) const;
  Values best_of_group(std::size_t index) const;
  void take(std::size_t index, const RaceObservation& observed);
  bool are_compared(std::size_t index, std::size_t other) const;
  bool are_rivals(std::size_t index, std::size_t other) const;
  void put_out_if(std::size_t index, std::size_t other);
  bool is_decided(std::size_t index) const;
  void decide_compared_with(std::size_t index);
  std::optional<std::string> why_out(std::size_t index, std::size_t other) const;
  bool leads(std::size_t index) const;
  double hope(std::size_t index) const;

  std::vector<RaceCandidate> candidates_;
  std::vector<RaceStanding> standings_;
  std::vector<Values> values_;
  RaceGoal goal_;
  double confidence_;
};

/// Returns bounds of the time of the whole training for comparisons within a race. Each of them
/// holds with probability 1 - error (0 < error < 1), however often the run is judged by them. Half
/// of the error is for the mean of the laps (anytime_half_width()), half for what more laps do not
/// show: init, validation and the other parts, the variation between runs
/// (Forecast::spread_between_runs), and `spread_of_moment`, a relative standard deviation
/// (spread_of_moment()). If a track record replaced the spread between runs, it includes the
/// moment. Returns the reason if there is no forecast.
Result<Interval<Seconds>> anytime_total(const Assessment& assessment, double error,
                                        double spread_of_moment);

/// Returns whether more laps would hardly narrow these bounds: on the logarithm, the laps' share of
/// them is at most a third of the part that more laps do not reduce. Always false before five laps.
bool laps_are_settled(const Assessment& assessment, double error, double spread_of_moment);

/// Returns a lower bound of the time of a training whose run has not ended after `ran`. It is below
/// `ran`, because another run may be faster: by the (1 - error / 2) quantile of a lognormal spread
/// with kPriors.start_spread_cold.
Seconds least_total_after(Seconds ran, double error);

}  // namespace lapcast
