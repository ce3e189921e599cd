#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/leases/leases_table.h"
#include "lease/ledger.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Returns what the providers list with the tag of leases that the ledger does not have, from all
/// adapters. Adds a line to `problems` for each adapter that does not answer.
std::vector<Stray> find_strays(const Ledger& ledger, std::vector<std::string>& problems);

/// Takes strays into the ledger as leases that are ending. Returns their ids.
std::vector<std::string> adopt_strays(Ledger& ledger, const std::vector<Stray>& strays);

/// Ends leases and waits until each is gone, or a signal comes. Those that another lapcast holds
/// are ended by it. `tell` gets lines for people. Returns whether all are gone.
bool end_leases(Ledger& ledger, const std::vector<std::string>& ids, const Interrupt& interrupt,
                const std::function<void(const std::string&)>& tell);

}  // namespace lapcast
