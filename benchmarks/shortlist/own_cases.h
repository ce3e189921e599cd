#pragma once

#include <cstddef>
#include <vector>

#include "extrapolate/machine_factors.h"
#include "shortlist/judged.h"
#include "shortlist/public_sets.h"

namespace lapcast::shortlist {

/// Says what the user of a forecast measured before.
struct OwnWay {
  std::size_t programs = 0;  // of other tasks, chosen at random
  std::size_t machines = 0;  // that each of them ran on, the home among them; 0 = on all
  double share = 0.4;        // kOwnShare
};

/// Returns the forecasts of each program on each of its items from each home, when random programs
/// of other tasks of the same set are the user's own. `factors` are those of other sets, with all
/// items of the programs. The same own programs are chosen whatever the share.
std::vector<Judged> judge_with_own(const MachineFactors& factors,
                                   const std::vector<ProgramRow>& programs, const OwnWay& way);

}  // namespace lapcast::shortlist
