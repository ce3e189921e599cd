#include "forecast/series.h"

#include <algorithm>

#include "forecast/overlapped_validation.h"
#include "stats/coarse_series.h"

namespace lapcast {
namespace {

bool laps_are_epochs(const LapLog& log) {
  return log.epochs.size() > 1 &&
         std::all_of(log.epochs.begin(), log.epochs.end(),
                     [](const EpochSpan& epoch) { return epoch.laps <= 1; });
}

}  // namespace

Series::Series(const LapLog& the_log)
    : log(the_log),
      paused(log),
      costs(lap_costs(log, paused)),
      full(full_laps(log.laps, costs)),
      coarse(laps_are_epochs(log)) {
  leave_out_laps_beside(log, full);
  state = coarse ? find_coarse_state(full.seconds) : find_steady_state(full.seconds);
}

SteadyMean mean_of(const Series& series) {
  return series.coarse ? coarse_mean(series.full.seconds, series.state)
                       : steady_mean(series.full.seconds, series.state);
}

}  // namespace lapcast
