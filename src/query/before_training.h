#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "price/quote.h"
#include "query/input_files.h"
#include "run/run.h"

namespace lapcast {

/// Returns what a machine does before a training, as measured in its runs: the longest boot, the
/// longest set-up, the longest sending of the program, and the sending of the data. Later runs send
/// only what changed, so the run that sent the most data counts. If `data_bytes` is above 0, the
/// time is scaled to that many bytes at the speed of that run; a run that sent no data counts as 0.
BeforeTraining measured_before_training(std::span<const Run* const> runs, std::int64_t data_bytes);

/// Returns how long the rented machines of the probes took to boot, by machine type name.
std::map<std::string, BeforeTraining> measured_boots(std::span<const Run> probes);

/// Returns what each machine of the probes does before a training, by machine type name: what the
/// fleet file declares (sizes of data and the speed of the machine's link), else what `runs`
/// measured. Leaves out a machine for which neither is known.
std::map<std::string, BeforeTraining> before_trainings(std::span<const Run> probes,
                                                       std::span<const Run> runs,
                                                       FleetLookup& fleets);

}  // namespace lapcast
