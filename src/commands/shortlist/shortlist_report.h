#pragma once

#include <vector>

#include "rank/shortlist.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of a shortlist: its rows, the machines that are worth a probe, and why other
/// offers have no row. The answer says in one sentence which machines to rent for three minutes.
std::vector<Table> shortlist_tables(const HomeMeasurement& home, const Shortlist& list,
                                    const Preferences& preferences);

}  // namespace lapcast
