#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "price/quote.h"
#include "query/input_files.h"
#include "run/run.h"

namespace lapcast {

/// Returns what a machine does before a training, by what these runs of it measured: the longest
/// set-up, the longest sending of a program, and that of the data. A later run sends only what
/// changed, so that the one that sent the most counts. Where `data_bytes` is above 0, the data
/// takes as long as so many bytes at the speed of that sending; of a run that sent no data,
/// nothing.
BeforeTraining measured_before_training(std::span<const Run* const> runs, std::int64_t data_bytes);

/// Returns what each machine of the probes does before a training, by the names of machine types:
/// what the fleet file declares (the sizes of its data and the speed of a machine's link), else
/// what `runs` measured. A machine of which neither is known is left out.
std::map<std::string, BeforeTraining> before_trainings(std::span<const Run> probes,
                                                       std::span<const Run> runs,
                                                       FleetLookup& fleets);

}  // namespace lapcast
