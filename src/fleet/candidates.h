#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Maps each placeholder of a program to its values, in the order of their names.
using PlaceholderValues = std::map<std::string, std::vector<std::string>>;

/// Returns the context with the number of a repeat as the value of {seed}, if the program has it.
RunContext with_seed(RunContext context, std::size_t number);

/// Returns one context for every machine of the fleet and every combination of placeholder values;
/// machines vary slowest, and all else is taken from `common`. Throws Error (usage) for a
/// placeholder without values, and for values without a placeholder that are not power limits
/// (power_limit.h).
std::vector<RunContext> candidates_of(const Fleet& fleet, const PlaceholderValues& values,
                                      const RunContext& common);

/// Returns one candidate for each combination of settings: the one on the machine type with the
/// lowest price per hour, or the first in the fleet where none has a price.
std::vector<RunContext> on_cheapest_machine(const std::vector<RunContext>& candidates);

/// Returns a name that is unique among the candidates of a sweep: "1c-avx2 batch=128".
std::string candidate_name(const RunContext& context);

/// Identifies a candidate among those of all sweeps, by its name and its program.
using CandidateKey = std::pair<std::string, std::vector<std::string>>;
CandidateKey candidate_key(const RunContext& context);

/// Returns a hash in hex that is the same for two sweeps that measure the same. It covers all in
/// the probes that can change what they measure (program, settings, plan, machine types, places
/// with Slurm's flags, set-up, data, limits, hook), and the named values in `more`; the prices of
/// the machines only `with_prices`. Equal inputs give equal text on every machine. It does not
/// cover the bytes of the program's files: see program_content.h.
std::string fingerprint(const std::vector<ProbeRequest>& probes,
                        const std::map<std::string, std::string>& more = {},
                        bool with_prices = false);

}  // namespace lapcast
