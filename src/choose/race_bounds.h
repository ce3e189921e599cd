#pragma once

#include "choose/assessment.h"
#include "core/interval.h"
#include "core/result.h"
#include "core/seconds.h"

namespace lapcast {

/// Returns bounds of the time of the whole training that hold with probability 1 - error, however
/// often the run is judged by them. Half of the error is for the mean of the laps
/// (anytime_bounds.h), half for all that more laps do not tell: init, validation and the other
/// parts, and how runs differ from one another (the prior, or what earlier runs of the program
/// showed). Returns the reason when nothing is forecast.
Result<Interval<Seconds>> anytime_total(const Assessment& assessment, double error);

/// Returns the least time of a training that has not ended after `ran`: another run of it may be
/// quicker, by as much as starts and runs differ.
Seconds at_least(Seconds ran, double error);

}  // namespace lapcast
