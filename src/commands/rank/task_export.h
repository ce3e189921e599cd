#pragma once

#include "formats/skypilot_task.h"
#include "formats/slurm_job.h"
#include "machine/place.h"
#include "query/rank_runs.h"

namespace lapcast {

/// Returns the winner as a task for SkyPilot, with comments about what is not known. `place_setup`
/// is what the fleet file says about the winner's machine; nullptr = it could not be read. Throws
/// Error (some_failed) if SkyPilot cannot rent that machine, or if an argument is not UTF-8 text.
SkyPilotTask skypilot_task(const Winner& winner, const PlaceSetup* place_setup);

/// Returns the winner as a job of the Slurm cluster of its machine. Its time is queue_limit()'s.
/// Throws Error (some_failed) when the machine is not one of a Slurm cluster, or its partition ends
/// the training before the middle of its forecast.
SlurmJobFile slurm_job(const Winner& winner, const PlaceSetup* place_setup);

}  // namespace lapcast
