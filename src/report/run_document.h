#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "report/redaction.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Returns the object that the command prints for these tables with --json.
nlohmann::ordered_json json_of(std::vector<Table> tables, const std::string& command);

/// Returns the data of a run in a report page: the object of `lapcast show ID --json`, its laps and
/// the load of its machine as packed_table(), marks next to the laps, metrics, and how its forecast
/// changed. Callers pass masked(run). Texts are filtered by `redaction`.
nlohmann::ordered_json run_document(const Run& run, const Assessment& assessment,
                                    const Redaction& redaction);

}  // namespace lapcast
