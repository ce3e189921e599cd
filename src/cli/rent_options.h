#pragma once

#include <memory>
#include <optional>
#include <string>

#include "campaign/machine_supply.h"
#include "campaign/measuring.h"
#include "campaign/race_campaign.h"
#include "campaign/rent_plan.h"
#include "cli/option_table.h"

namespace lapcast {

/// Holds the options of commands that rent machines.
struct RentOptions {
  std::optional<Seconds> keep;
  bool unprotected = false;

  /// Adds --keep-machines and --unprotected.
  void add_to(CLI::App& app);
};

/// Returns what supplies the machines of a plan, which tells `listener` what happens to them;
/// nullptr when nothing has to be rented. Throws Error (usage) without a budget in money, and with
/// one that would not be used because nothing is rented (unless `has_other_use`).
std::unique_ptr<MachineSupply> supply_of(const RentPlan& plan, const RentOptions& options,
                                         const RaceBudget& budget, bool has_other_use,
                                         const std::string& fleet_file, ProgressListener& listener);

}  // namespace lapcast
