#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/batch_search.h"
#include "run/run.h"

namespace lapcast {

/// Is the value of {batch} that asks for the largest batch that fits.
inline constexpr const char* kAutoBatch = "auto";

/// Holds what was tried of one candidate whose batch is kAutoBatch.
struct TriedBatches {
  std::vector<BatchTry> tries;
  SearchedMemory memory;
};

/// Returns what the probes of a sweep say of a candidate whose batch is kAutoBatch; of several
/// probes with one batch the last counts.
TriedBatches tried_batches(const RunContext& candidate, std::span<const Run> runs);

/// Returns the candidates that are to be probed next, with a batch each: at most one of each place,
/// because programs of one machine share its memory. Returns none once all searches are done.
std::vector<RunContext> next_tries(std::span<const RunContext> candidates,
                                   std::span<const Run> runs);

/// Returns each candidate once for each of its batches that a probe of `runs` showed to fit, the
/// smaller ones first.
std::vector<RunContext> with_fitting_batches(std::span<const RunContext> candidates,
                                             std::span<const Run> runs);

}  // namespace lapcast
