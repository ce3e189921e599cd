#pragma once

#include <string>
#include <vector>

#include "lease/adapter_answer.h"
#include "lease/ledger.h"
#include "table/table.h"

namespace lapcast {

/// Describes a lease in the list: whether a living lapcast holds it, and what it costs.
struct LeaseRow {
  Lease lease;
  bool is_held = false;
  UtcNs now = 0;
};

/// Returns the leases with what each has cost and can cost.
Table leases_table(const std::vector<LeaseRow>& rows);

/// Is a thing at a provider with the tag of a lease that this computer does not know.
struct Stray {
  std::string adapter;
  ProviderEntry entry;
};
Table strays_table(const std::vector<Stray>& strays);

}  // namespace lapcast
