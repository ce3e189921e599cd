#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/listed_machine.h"

namespace lapcast {

/// Turns a list of Google Cloud that prices accelerators without their machines (SkyPilot's) into
/// offers: an N1 machine with the accelerators that can be attached to it costs the sum of both
/// prices in its zone. A TPU has its machine in its price. A machine of a family that is rented
/// with its accelerators only (A2, A3, A4, G2, G4) is not an offer: its row is a part of its price.
class GcpMachines {
 public:
  enum class Row {
    offer,            // by itself
    accelerator,      // of the pairs that for_each_pair() makes
    part_of_machine,  // its price is without the accelerators that it always has
  };

  /// Remembers what for_each_pair() needs of a row, names the machine of a TPU, and returns what
  /// the row is.
  Row take(ListedMachine& machine);

  /// Calls the function with each N1 machine with each number of accelerators of its zone that it
  /// can have; the cells are valid during the call only.
  void for_each_pair(const std::function<void(const ListedMachine&)>& call) const;

 private:
  /// Holds the cells of a row that a pair needs.
  struct Part {
    std::string name, count, region, date, vcpus, memory_gib, accelerator_memory_mib;
    double on_demand = 0;
    double spot = 0;  // 0 = not offered
  };
  struct Zone {
    std::vector<Part> machines;
    std::map<std::pair<std::string, int>, Part, std::less<>> accelerators;  // by name and count
  };
  static void call_with_pair(const Part& machine, const Part& accelerator,
                             const std::function<void(const ListedMachine&)>& call);

  std::map<std::string, Zone, std::less<>> zones_;
};

}  // namespace lapcast
