#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forecast/learning_curve.h"
#include "price/offer.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

// Optional parts of a report. Each is the object that a command prints with --json.

/// Returns the object of `epochs` for the runs that report the metric, with their curves as `fans`;
/// nullopt if no run reports it.
std::optional<nlohmann::ordered_json> epochs_part(const Store& store, std::span<const Run> runs,
                                                  const TrainingGoal& goal);

/// Returns the tables of `lapcast repeat` with the time of every run as `values`, and the groups'
/// `names`, for each program with at least two full runs with the same machine type and settings,
/// without warm-up runs. The first group is the baseline. Runs without a price of their own are
/// billed under `offers`.
nlohmann::ordered_json repeats_part(std::span<const Run> runs, std::span<const Offer> offers);

/// Returns the object of `soak report` for these heartbeat files. Throws as read_heartbeats() does.
nlohmann::ordered_json soak_part(const std::vector<std::string>& files);

}  // namespace lapcast
