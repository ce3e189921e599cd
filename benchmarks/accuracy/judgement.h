#pragma once

#include <string>
#include <vector>

#include "core/interval.h"
#include "core/seconds.h"

namespace lapcast::accuracy {

/// A group of runs that one row of the table is about. Rows are in the order of `place`, then of
/// the name.
struct Group {
  int place = 0;
  std::string name;
  friend auto operator<=>(const Group&, const Group&) = default;
};

/// What a forecast had learned from.
enum class Fit {
  others,  // finished runs of the other part of the submitters: what counts
  none,    // nothing: the run alone
  own,     // of the judged submitters themselves: shows what over-fitting there is
};

/// One forecast beside what was.
struct Judgement {
  std::string run;
  std::string submitter;
  std::string benchmark;
  std::vector<Group> groups;  // that it counts in; may be none
  std::string seen;           // "2 epochs"
  Fit fit = Fit::others;
  Seconds real{0};
  Interval<Seconds> ours;
  Seconds papers{0};
};

}  // namespace lapcast::accuracy
