#pragma once

#include <cstdint>
#include <span>

#include "common/random.h"
#include "data/io_observations.h"

namespace lapcast::workloads {

/// Makes synthetic observations. For each one, an application of 2 to 128 processes behind one I/O
/// node issues 32 to 255 requests to its files in one of the three patterns, and the five numbers
/// are computed from the requests. Requests have one size, or sizes within a factor of 3; some are
/// small headers. Processes drift apart, so that requests that are neighbours in a file are not
/// always neighbours in time.
///
///   file-per-process   each process has its own file and one offset follows the other
///   shared-contiguous  one file or a few; each process has a chunk of 256 to 4,096 requests
///   shared-strided     one file or a few; the requests of the processes take turns

enum class IoPart { kTraining, kTest };

/// Draws the five numbers of one observation of a pattern, 0 to 2.
void draw_observation(int pattern, Random& random, std::span<double, kIoFeatures> features);

/// Draws `count` observations, whose patterns take turns, on `threads` threads. Observation i
/// depends on the seed, the part and i alone.
IoObservations make_observations(int64_t count, uint64_t seed, IoPart part, int64_t threads);

}  // namespace lapcast::workloads
