#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "price/offer.h"
#include "query/rank_runs.h"
#include "run/run.h"

namespace lapcast {

/// Returns the machines of the runs, without duplicates.
nlohmann::ordered_json machines_part(std::span<const Run> runs);

/// Returns the prices above 0, with date and source.
nlohmann::ordered_json prices_part(std::span<const Offer> offers);

/// Describes how the figures are computed, with their constants; docs/forecast.md and
/// docs/ranking.md have all details.
nlohmann::ordered_json method_part();

/// Returns the commands that measure and rank the runs once more. Secrets are masked.
nlohmann::ordered_json commands_part(const SelectedRuns& selected);

}  // namespace lapcast
