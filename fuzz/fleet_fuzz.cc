#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "fleet/fleet_file.h"

/// Checks that a fleet file of any bytes is read or refused with an Error. A file that is read has
/// machines, each with exactly one way to pay.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const lapcast::Fleet fleet =
        lapcast::parse_fleet({reinterpret_cast<const char*>(data), size}, "fleet.toml");
    if (fleet.machines.empty()) std::abort();
    for (const lapcast::FleetMachine& machine : fleet.machines) {
      if (machine.type.name.empty()) std::abort();
      if (machine.offer.has_value() == !machine.offer_name.empty()) std::abort();
      if (machine.offer && machine.offer->price.per_hour < lapcast::Money{}) std::abort();
    }
  } catch (const lapcast::Error&) {
  }
  return 0;
}
