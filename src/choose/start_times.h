#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "forecast/lap_profile.h"

namespace lapcast {

/// Holds how long runs of one program took to start. A start is one draw of a time that varies much
/// more than a lap, and candidates of one program often start alike: so all starts on a machine
/// tell of the next one of each candidate.
class StartTimes {
 public:
  void add(const std::string& machine, const std::string& candidate, const LapProfile& profile);

  /// Returns the time of the next start of a candidate on a machine on which the program has run
  /// before, with its 95 % interval. Candidates differ as much as their starts show beyond chance
  /// (DerSimonian and Laird 1986), and each is drawn to the mean of all as far as it is not known
  /// better by its own starts. Returns nothing where the machine saw fewer than two starts, or none
  /// of the candidate.
  std::optional<Interval<Seconds>> next_of(const std::string& machine,
                                           const std::string& candidate) const;

 private:
  struct Start {
    double log_seconds = 0;
    double weight = 0;  // 1 / variance that a start of its kind is taken to have
  };
  using ByCandidate = std::map<std::string, std::vector<Start>>;
  std::map<std::string, ByCandidate> machines_;
};

}  // namespace lapcast
