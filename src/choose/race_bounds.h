#pragma once

#include "choose/assessment.h"
#include "core/interval.h"
#include "core/result.h"
#include "core/seconds.h"

namespace lapcast {

/// Where the time of the whole training lies with probability 1 - error, at every look at the run
/// together: half of the error for the mean of the laps (anytime_bounds.h), half for all that more
/// laps do not tell: init, validation and the other parts, and how runs differ from one another
/// (the prior, or what earlier runs of the program showed). Reason when nothing is forecast.
Result<Interval<Seconds>> anytime_total(const Assessment& assessment, double error);

/// At least this long takes a training that has not ended after `ran`: another run of it may be
/// quicker, by as much as starts and runs differ.
Seconds at_least(Seconds ran, double error);

}  // namespace lapcast
