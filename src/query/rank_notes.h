#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rank/ranking.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

// Lines for people about what a ranking compares.

inline constexpr const char* kNoteOnMarginalCosts =
    "costs are marginal: hours that are reserved and machines that were bought count as paid";

/// Returns a line where a ranking has some rented machines that are billed with tax and others
/// without.
std::optional<std::string> note_on_tax(const Ranking& ranking);

/// Adds a line for the first candidates that had an idle GPU, and one that counts the rest.
/// `idle_gpus` has describe_idle() by the candidate's name.
void add_idle_gpus(std::vector<std::string>& notes,
                   const std::map<std::string, std::string>& idle_gpus);

/// Returns a line for each hardware that probes of the same work were made on under several names
/// of machine types, whatever the names of their hosts.
std::vector<std::string> notes_on_hardware(std::span<const Run> runs);

/// Returns a line for each sweep of these probes whose program changed since the sweep was begun:
/// their forecasts are of the program as it was. Imported runs are passed over.
std::vector<std::string> program_changes(const Store& store, std::span<const Run> probes);

}  // namespace lapcast
