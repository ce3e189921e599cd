#pragma once

#include <optional>
#include <string>

#include "campaign/tune.h"
#include "machine/description.h"
#include "store/store.h"

namespace lapcast {

/// Returns the run of the default that comes before a search, so that the first candidate does not
/// have to read the program's files from disk: one lap, or nothing if the machine ran the program
/// shortly before. On a machine with a GPU, and on one of which nothing is known before, it is some
/// seconds of laps, once in a sweep, which tell how busy the GPU is. A warm-up that a killed
/// lapcast left on another machine is followed. No row of the search counts it.
std::optional<ProbeRequest> warm_up_of(const TuneRequest& request, Store& store,
                                       const Sweep& sweep);

/// Returns the first description of its machine that the warm-ups of a sweep have, so that the same
/// request always sees the same one. Throws Error (system_failed) with the outcome of the last one
/// if none has a description.
MachineDescription machine_of_warm_up(const TuneRequest& request, const Store& store,
                                      const Sweep& sweep);

/// Returns the busy_share() of the default's training, from the warm-up of a sweep; nothing if that
/// has fewer than two laps, because the first often compiles.
std::optional<double> gpu_busy_of_default(const Store& store, const Sweep& sweep);

/// Returns what a busy GPU means for the search: settings that change its work are tried first, or
/// with `--tune all`. The text is empty unless the GPU is known to be the limit.
std::string note_of_busy_gpu(const std::optional<double>& busy, bool tries_its_settings);

}  // namespace lapcast
