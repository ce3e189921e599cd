#pragma once

#include <optional>
#include <string>

#include "campaign/tune.h"
#include "store/store.h"

namespace lapcast {

/// Returns the run of the default that comes before a search, so that its first candidate is not
/// the one that reads the program's files from disk: one lap, or nothing where the machine has run
/// the program shortly before. Where the machine has a GPU it is some seconds of laps, once in a
/// sweep, which tell how busy the GPU is. No row of the search counts it.
std::optional<ProbeRequest> warm_up_of(const TuneRequest& request, Store& store,
                                       const Sweep& sweep);

/// Returns the busy_share() of the default's training by the warm-up of a sweep, or nothing where
/// it has fewer than two laps: the first often compiles.
std::optional<double> gpu_busy_of_default(const Store& store, const Sweep& sweep);

/// Says what a busy GPU means for the search: settings that change its work are tried first, or
/// with `--tune all`. Returns an empty text where the GPU is not the limit, or is not known to be.
std::string note_of_busy_gpu(const std::optional<double>& busy, bool tries_its_settings);

}  // namespace lapcast
