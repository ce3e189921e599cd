// Reads the file of a power meter of any bytes: what it keeps is in order and below the limit, and
// energy is never negative or not finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "energy/power_series.h"

namespace {

void require_that(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto meter =
      lapcast::read_meter(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!meter) return 0;
  const auto& readings = meter->readings;
  require_that(!readings.empty());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    require_that(readings[i].watts >= 0 && readings[i].watts <= lapcast::kMostWatts);
    require_that(i == 0 || readings[i - 1].at_s < readings[i].at_s);
  }
  const double from_s = readings.front().at_s, to_s = readings.back().at_s;
  if (const auto first = lapcast::first_seconds(*meter, from_s, to_s); first) {
    const auto joules = lapcast::joules_of_training(*first, 1e6);
    require_that(joules.low >= 0 && joules.low <= joules.mid && joules.mid <= joules.high);
    require_that(std::isfinite(joules.high) || std::isinf(to_s - from_s) || to_s > 1e100);
  }
  return 0;
}
