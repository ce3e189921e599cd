#pragma once

#include <string_view>

namespace lapcast {

/// Holds the cells of one machine of a price list, as texts; empty = the list does not say.
struct ListedMachine {
  std::string_view provider, machine_type, region, zone, date;
  std::string_view accelerator, accelerator_count, vcpus, memory_gib, accelerator_memory_mib;
  std::string_view on_demand, spot;        // USD per hour
  std::string_view one_year, three_years;  // USD per month of a commitment
  bool is_spot = false;                    // on_demand is a price of spot capacity
};

}  // namespace lapcast
