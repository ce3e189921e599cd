#pragma once

#include <map>
#include <string>
#include <vector>

#include "query/worker_forecast.h"

namespace lapcast {

/// Returns what is paid of the machines of a forecast.
std::string payment_note(const WorkerForecast& forecast);

/// Returns what the rows of a forecast take for granted.
std::vector<std::string> worker_notes(const WorkerForecast& forecast, bool has_costs);

/// Returns the texts of all machine types; those that are not the same for all begin with the name
/// of theirs.
std::vector<std::string> merged_texts(
    const std::map<std::string, std::vector<std::string>>& by_machine);

}  // namespace lapcast
