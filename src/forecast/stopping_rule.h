#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Says when a probe has enough laps: when all conditions hold, and there are kFewestObservations.
struct StoppingRule {
  /// Limits the relative half-width of the 95 % interval of the steady lap; 0 is never reached, not
  /// even by identical laps.
  double precision = 0.02;
  /// Replaces `precision` for laps that a device runs asynchronously. The means of 1 s of such
  /// programs differ by 2 to 14 %, so few reach 2 % within 10 s of laps. Half of 19 runs on a GPU
  /// reach 5 % after 9.6 s and 6 % after 7.6 s, with means equally close to the whole run's.
  double device_precision = 0.06;
  std::int64_t min_laps = 10;  // fewest steady laps
  /// Gives the least total time of the steady laps. The default is 50 periods of a 10 ms CPU quota,
  /// or 5 of the kernel's usual 100 ms: a shorter stretch may lie within one burst.
  Seconds min_steady{0.5};
};

/// Says whether the laps are enough, and what is missing.
struct Verdict {
  bool enough = false;
  /// Is "26 steady laps within 1.8 %", or "within 4.1 %, 9 observations" where laps share them, or
  /// what is missing: "4 of 10 steady laps", "3 of 5 observations", "within 3.1 %, wanted 2 %",
  /// "0.2 s of 0.5 s steady".
  std::string text;
  std::int64_t steady_laps = 0;
  std::int64_t observations = 0;  // that they were measured in (lap_observations.h)
  double half_width = 0;          // of the steady lap's interval, relative; infinite = not known
  std::int64_t laps_needed = 0;   // an estimate of how many more; 0 when enough
  Seconds steady_lap{0};          // mean; 0 while not known
};

/// Applies the rule to lap times in seconds, all of full batches, in order. Each is an observation:
/// the mean of as many laps as its weight says, or of one lap without weights. More than 512
/// observations are judged by the means of at most 512 blocks. O(n).
Verdict judge(std::span<const double> laps, const StoppingRule& rule,
              std::span<const double> weights = {});

/// Applies the rule, with its device_precision, to steady laps that share observations.
Verdict judge(const SteadyLaps& steady, const StoppingRule& rule);

/// Is the time of a later round of a sweep in rounds, unless five laps take longer.
inline constexpr Seconds kLaterRound{0.5};
/// Returns how many laps such a round has.
std::int64_t laps_of_later_round(Seconds lap);

/// Applies the rule for a supervisor that asks repeatedly while laps come in. The verdict is
/// recomputed only when there are 10 % more laps, so a whole probe costs a few milliseconds.
class StoppingRuleJudge {
 public:
  explicit StoppingRuleJudge(StoppingRule rule) : rule_(rule) {}
  /// Returns the latest verdict. `laps` are all laps so far: those of the last call and more, or
  /// fewer if other laps replaced them, which are judged anew. The next call may change the
  /// returned verdict.
  const Verdict& judge(std::span<const Lap> laps);

 private:
  StoppingRule rule_;
  bool on_device_ = false;  // some lap had no known end at some call
  Verdict verdict_{.text = "no laps yet"};
  std::size_t seen_laps_ = 0;  // at the last call
  std::size_t next_laps_ = 1;
};

}  // namespace lapcast
