#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "table/table.h"

namespace lapcast {

/// Holds what one rented machine of a search did and cost. The times follow each other and sum to
/// the time for which it was rented.
struct RentalRow {
  std::string machine;
  std::string lease;
  std::string by;  // the adapter
  std::string where;
  Seconds boot{0};              // from the request to the first login
  Seconds sending{0};           // of lapcast, the program and the data
  Seconds set_up{0};            // of the program's packages
  Seconds measuring{0};         // while the program ran
  Seconds give_back{0};         // from the order to delete it until it was gone
  Seconds other{0};             // between these
  Money rounding;               // what is billed beyond the time of use
  std::int64_t fetched = 0;     // bytes that lapcast fetched from it
  std::optional<Money> egress;  // their price; none = not known, and not counted
  Money cost;                   // all of it
  bool is_open = false;         // it may still cost more
  std::string state;            // "gone", "ending" ...
  std::string reason;           // why it ended
};

/// Returns the bill of a search on rented machines: a row for each, with what its time was used
/// for. A note has the sum.
Table rental_table(const std::vector<RentalRow>& rows);

}  // namespace lapcast
