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

// Notes for the reader about what a ranking compares.

inline constexpr const char* kNoteOnMarginalCosts =
    "costs are marginal: hours that are reserved and machines that were bought count as paid";

/// Returns a note if a ranking has some rented machines that are billed with tax and others
/// without.
std::optional<std::string> note_on_tax(const Ranking& ranking);

/// Adds a note for each of the first candidates that have one, and one that counts the rest: "2
/// more candidates WHAT". `texts` has what is said, by the candidate's name.
void add_notes_of_candidates(std::vector<std::string>& notes,
                             const std::map<std::string, std::string>& texts, const char* what);

/// Returns for each candidate that pays a part of its machine, by its name, which one its price is
/// for.
std::map<std::string, std::string> paid_parts(std::span<const Run> probes);

/// Returns a note for each hardware on which probes of the same work ran under several machine
/// types, even under different host names.
std::vector<std::string> notes_on_hardware(std::span<const Run> runs);

/// Returns a note for each sweep of these probes whose program changed since the sweep began: their
/// forecasts are of the old program. Skips imported runs.
std::vector<std::string> program_changes(const Store& store, std::span<const Run> probes);

}  // namespace lapcast
