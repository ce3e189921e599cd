#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/seconds.h"
#include "lap/lap.h"

namespace lapcast {

/// When a probe has seen enough laps: all three must hold.
struct StoppingRule {
  double precision = 0.02;     // relative half-width of the 95 % interval of the steady lap
  std::int64_t min_laps = 10;  // steady ones [methods 5]
  Seconds min_steady{0.5};     // 50 periods of a 10 ms CPU quota, 5 of the kernel's usual 100 ms:
                               // a shorter stretch may lie within one burst
};

struct Verdict {
  bool enough = false;
  std::string text;  // "26 steady laps within 1.8 %", or what is missing: "4 of 10 steady laps",
                     // "within 3.1 %, wanted 2 %", "0.2 s of 0.5 s steady"
  std::int64_t steady_laps = 0;
  double half_width = 0;         // relative; infinite while not known
  std::int64_t laps_needed = 0;  // an estimate of how many more; 0 when enough
  Seconds steady_lap{0};         // mean; 0 while not known
};

/// The rule over lap times in seconds, all full batches, in order. Series beyond 512 laps are
/// looked at as block means. O(n); no laps: not enough.
Verdict judge(std::span<const double> laps, const StoppingRule& rule);

/// The rule for a supervisor that asks again and again while laps come in: looks anew only when
/// there are 10 % more laps, so that the whole probe costs a few milliseconds.
class StoppingRuleJudge {
 public:
  explicit StoppingRuleJudge(StoppingRule rule) : rule_(rule) {}
  /// laps: all so far, each time the same and more.
  const Verdict& judge(std::span<const Lap> laps);

 private:
  StoppingRule rule_;
  Verdict verdict_{.text = "no laps yet"};
  std::size_t next_look_ = 1;
};

}  // namespace lapcast
