#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "run/compile_caches.h"

namespace lapcast {

/// Describes one start of a program.
struct SeenStart {
  double log_seconds = 0;  // until the first lap
  StartKind kind = StartKind::unknown;
  bool compiled = false;  // a cache of a compiler grew

  bool is_cold() const { return compiled || kind == StartKind::cold; }
};

/// Holds how long runs of one program took to start. A start is one draw of a time that varies much
/// more than a lap, and candidates of one program often start alike, so all starts on a machine
/// help to predict the next one of each candidate. Cold and other starts are never pooled.
class StartTimes {
 public:
  void add(const std::string& machine, const std::string& candidate, const LapProfile& profile,
           CacheState caches);

  /// Returns the time of the next start of a candidate on a machine on which the program has run
  /// before, with its 95 % interval. Candidates differ as much as their starts show beyond chance
  /// (DerSimonian and Laird 1986), and each is drawn towards the mean of all, weighted by
  /// precision. The next start is taken to be warm if any start on the machine was not cold. A
  /// candidate whose starts were all cold may then differ from the others by at least
  /// kPriors.start_spread_unknown, and its own starts count with the error of predicting a warm
  /// start from a cold one. One that compiled in each of several starts is taken to compile again.
  /// Returns nothing if no start of the candidate is known, or only one that counts.
  std::optional<Interval<Seconds>> next_of(const std::string& machine,
                                           const std::string& candidate) const;

  /// Returns the mean time of the candidate's cold starts on the machine; nothing without one.
  std::optional<Seconds> cold_of(const std::string& machine, const std::string& candidate) const;

 private:
  using ByCandidate = std::map<std::string, std::vector<SeenStart>>;
  std::map<std::string, ByCandidate> machines_;
};

}  // namespace lapcast
