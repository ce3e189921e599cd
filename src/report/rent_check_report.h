#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "table/table.h"

namespace lapcast {

/// Says what an adapter told about a machine that a fleet file rents.
struct RentCheckRow {
  std::string machine;
  std::string by;                     // the adapter
  std::string type;                   // of the machine, as the provider calls it
  std::optional<Money> usd_per_hour;  // now; none = the provider does not tell
  Money most_per_hour;                // that the fleet file allows
  std::optional<Money> egress;        // per GB that leaves it; none = not known
  Money at_most;                      // that it costs until its deadline
  std::string protected_by;           // who ends it without this computer
  std::string problem;                // why it cannot be rented, and the fix; empty = it can
};

/// Returns a table with a row for each machine; notes name what is wrong.
Table rent_check_table(const std::vector<RentCheckRow>& rows);

}  // namespace lapcast
