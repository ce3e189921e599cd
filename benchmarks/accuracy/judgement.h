#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"

namespace lapcast::accuracy {

/// Describes a group of runs, which is one row of the table. Rows are ordered by `place`, then by
/// name.
struct Group {
  int place = 0;
  std::string name;
  friend auto operator<=>(const Group&, const Group&) = default;
};

/// Names what a forecast has learned from.
enum class Fit {
  others,  // finished runs of the other part of the submitters, which is what counts
  none,    // the run alone
  own,     // of the judged submitters themselves, which shows over-fitting
};

/// Holds one forecast and the real time, both since the run's start.
struct Judgement {
  std::string run;
  std::string submitter;
  std::string benchmark;
  std::vector<Group> groups;  // the groups in which it counts; may be empty
  std::string seen;           // "2 epochs"
  Fit fit = Fit::others;
  double units = 0;    // of the whole run, as given
  Seconds stopped{0};  // until when the run was observed
  Seconds real{0};
  std::optional<Interval<Seconds>> ours;  // absent = it gives no forecast
  Seconds papers{0};
};

}  // namespace lapcast::accuracy
