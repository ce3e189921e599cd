#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "price/offer.h"
#include "query/selected_runs.h"
#include "rank/candidate.h"
#include "rank/preferences.h"
#include "rank/shortlist.h"
#include "run/run.h"

namespace lapcast {

/// Holds candidates on machines that no probe ran on, each with the one offer that it wants.
struct UnmeasuredCandidates {
  std::vector<Candidate> candidates;
  std::vector<Offer> offers;
  std::vector<std::string> notes;  // why other offers have none, and what would help
};

/// Is how many of them a ranking has.
inline constexpr std::size_t kMostUnmeasured = 10;

/// Returns candidates for the best `offers` on machines that none of the probes ran on: forecast
/// from the probes together by make_shortlist(), one for each type of accelerator or number of
/// CPUs. Other programs of the user and, where `judge` forecasts a probe at_learned_epochs, those
/// that larger batches need are among the selected.
UnmeasuredCandidates unmeasured_candidates(std::span<const Run* const> probes,
                                           const SelectedRuns& selected, bool at_learned_epochs,
                                           const RunAssessor& judge, std::span<const Offer> offers,
                                           const std::optional<PrecisionClass>& precision,
                                           const Preferences& preferences);

}  // namespace lapcast
