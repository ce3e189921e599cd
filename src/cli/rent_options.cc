#include "cli/rent_options.h"

#include "campaign/rented_machines.h"
#include "cli/defaults_file.h"
#include "core/error.h"
#include "core/units.h"

namespace lapcast {

void RentOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--keep-machines TIME", parsed(keep, above_zero(parse_duration, "10m")),
        "keep rented machines that long for the next command of the same search"},
       {"--unprotected", &unprotected, "rent also where nothing but this computer ends a machine"}},
      "Rented machines");
}

std::unique_ptr<MachineSupply> supply_of(const RentPlan& plan, const RentOptions& options,
                                         const RaceBudget& budget, bool has_other_use,
                                         const std::string& fleet_file,
                                         ProgressListener& listener) {
  if (plan.is_empty()) {
    if ((budget.money || budget.time) && !has_other_use)
      throw Error(ExitCode::usage,
                  "--search-budget is for a race, or for a fleet file with machines to rent");
    if (options.keep || options.unprotected)
      throw Error(ExitCode::usage,
                  "--keep-machines and --unprotected are for a fleet file with machines to rent");
    return nullptr;
  }
  if (budget.time)
    throw Error(ExitCode::usage,
                "--search-budget must be money where machines are rented, such as 2USD");
  refuse_without_budget(plan, budget.money, fleet_file, "--search-budget");
  const RentTerms terms{.budget = *budget.money,
                        .a_month = rent_limit_a_month(),
                        .keep = options.keep,
                        .unprotected = options.unprotected};
  return std::make_unique<RentedMachines>(
      plan, terms, [&listener](const std::string& line) { listener.say(line); });
}

}  // namespace lapcast
