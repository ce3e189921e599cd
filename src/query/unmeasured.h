#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "price/offer.h"
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
/// CPUs. `own` are other programs of the user. `judge` forecasts a probe.
UnmeasuredCandidates unmeasured_candidates(std::span<const Run* const> probes,
                                           std::span<const OwnProgram> own,
                                           const RunAssessor& judge, std::span<const Offer> offers,
                                           const std::optional<PrecisionClass>& precision,
                                           const Preferences& preferences);

}  // namespace lapcast
