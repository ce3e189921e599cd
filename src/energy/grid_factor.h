#pragma once

#include <optional>
#include <string_view>

#include "core/seconds.h"

namespace lapcast {

/// Holds how much CO2 equivalent the electricity of a region causes.
struct GridFactor {
  Interval<double> grams_per_kwh;
  std::string_view source;  // "EPA eGRID, in cloud-carbon-footprint"
  int year = 0;             // in which the list was published; 0 = as the user says
};

/// Returns the factor of a cloud region ("aws", "us-east-1"; "azure", "eastus" or "East US"), or
/// nothing when the table lacks it. Factors are yearly means by location. Published factors differ:
/// of 24 regions that two lists have, 20 agree within half and twice, which is the interval.
std::optional<GridFactor> grid_factor(std::string_view provider, std::string_view region);

/// Returns the factor that a user gives, without an interval.
GridFactor grid_factor_of_user(double grams_per_kwh);

}  // namespace lapcast
