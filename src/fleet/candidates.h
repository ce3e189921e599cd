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

/// Returns the context with the number of a repeat as the value of {seed}, where the program has
/// it.
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

/// Returns what tells the candidates of a sweep apart: "1c-avx2 batch=128".
std::string candidate_name(const RunContext& context);

/// Tells candidates of all sweeps apart: the candidate's name and its program.
using CandidateKey = std::pair<std::string, std::vector<std::string>>;
CandidateKey candidate_key(const RunContext& context);

/// Returns what makes two sweeps the same, as a hash in hex: all that the probes ask for and that
/// can change what they measure (program, settings, plan, machine types, places with Slurm's flags,
/// set-up, data, limits, hook), and `more`, by name; the prices of the machines only where they
/// decide what is measured. Equal inputs give equal text on every machine. The bytes of the
/// program's files are not in it: see program_content.h.
std::string fingerprint(const std::vector<ProbeRequest>& probes,
                        const std::map<std::string, std::string>& more = {},
                        bool with_prices = false);

}  // namespace lapcast
