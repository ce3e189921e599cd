#pragma once

#include <optional>
#include <string>

#include "machine/machine_type.h"
#include "price/offer.h"

namespace CLI {
class App;
}

namespace lapcast {

/// What a single run uses of this machine and what that costs, as text until it is checked.
struct MachineOptions {
  std::string machine = "this-machine";
  std::string price;
  std::string offer;
  std::string cpus;
  std::string cpu_quota;

  void add_to(CLI::App& app);
  /// Throws Error (usage) for CPUs or a quota that are none.
  MachineType machine_type() const;
  /// The price given, or the offer of that name in the installed catalogs, or none. Throws Error
  /// (usage).
  std::optional<Offer> price_per_hour() const;
};

}  // namespace lapcast
