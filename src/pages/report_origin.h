#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "price/offer.h"
#include "query/rank_runs.h"
#include "run/run.h"

namespace lapcast {

// What a report says of the origin of its figures.

/// Returns the machines of the runs, each once.
nlohmann::ordered_json machines_part(std::span<const Run> runs);

/// Returns the prices above 0, with date and source.
nlohmann::ordered_json prices_part(std::span<const Offer> offers);

/// Says how the figures come about, with their constants; docs/forecast.md and docs/ranking.md have
/// it all.
nlohmann::ordered_json method_part();

/// Returns the commands that measure and rank the runs once more. Secrets are masked.
nlohmann::ordered_json commands_part(const SelectedRuns& selected);

}  // namespace lapcast
