#pragma once

#include <vector>

#include "app/offload.h"
#include "report/table.h"

namespace lapcast {

/// Returns a table of trainings with time and money so far and in the end: bills under the offer
/// that each is paid by.
Table jobs_table(const std::vector<AskedJob>& jobs);

}  // namespace lapcast
