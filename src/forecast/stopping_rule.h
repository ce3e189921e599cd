#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Says when a probe has enough laps: when all three conditions hold.
struct StoppingRule {
  double precision = 0.02;     // largest relative half-width of the 95 % interval of the steady lap
  std::int64_t min_laps = 10;  // fewest steady laps
  /// Gives the least time of all steady laps together. The default is 50 periods of a 10 ms CPU
  /// quota, or 5 of the kernel's usual 100 ms: a shorter stretch may lie within one burst.
  Seconds min_steady{0.5};
};

/// Says whether the laps are enough, and what is missing.
struct Verdict {
  bool enough = false;
  /// Is "26 steady laps within 1.8 %", or what is missing: "4 of 10 steady laps", "within 3.1 %,
  /// wanted 2 %", "0.2 s of 0.5 s steady".
  std::string text;
  std::int64_t steady_laps = 0;
  double half_width = 0;         // of the steady lap's interval, relative; infinite = not known
  std::int64_t laps_needed = 0;  // an estimate of how many more; 0 when enough
  Seconds steady_lap{0};         // mean; 0 while not known
};

/// Applies the rule to lap times in seconds, all of full batches, in order. More than 512 laps are
/// judged by the means of at most 512 blocks. O(n).
Verdict judge(std::span<const double> laps, const StoppingRule& rule);

/// Is how long a later round of a sweep in rounds takes, unless five laps take longer.
inline constexpr Seconds kLaterRound{0.5};
/// Returns how many laps such a round has.
std::int64_t laps_of_later_round(Seconds lap);

/// Applies the rule for a supervisor that asks again while laps come in. The verdict is computed
/// anew only when there are 10 % more laps, so that a whole probe costs a few milliseconds.
class StoppingRuleJudge {
 public:
  explicit StoppingRuleJudge(StoppingRule rule) : rule_(rule) {}
  /// Returns the latest verdict. `laps` are all laps so far: those of the last call and more, or
  /// fewer where others took their place, which are judged anew. The reference is to a member,
  /// which the next call may change.
  const Verdict& judge(std::span<const Lap> laps);

 private:
  StoppingRule rule_;
  Verdict verdict_{.text = "no laps yet"};
  std::size_t seen_laps_ = 0;  // at the last call
  std::size_t next_laps_ = 1;
};

}  // namespace lapcast
