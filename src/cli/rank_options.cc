#include "cli/rank_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "cli/run_options.h"
#include "core/units.h"
#include "forecast/disturbance.h"
#include "rank/preferences.h"

namespace lapcast {
namespace {

/// Returns a parser of numbers from 0 to `most`.
auto amount_up_to(double most) {
  return [most](const std::string& text) {
    const auto value = number_in(text);
    if (value && *value >= 0 && *value <= most) return *value;
    throw Error(ExitCode::usage,
                fmt::format("'{}' is not a number from 0 to {:g}", printable(text), most));
  };
}

double grams_of_kilograms(const std::string& text) {
  return 1000 * amount_up_to(1e12)(text);
}

}  // namespace

void RankOptions::add_to(CLI::App& app) {
  add_selection_to(app, request.selection);
  add_options(app, {{"--epochs N,N",
                     &request.epochs,
                     "epochs to rank at, several: 5,10,20",
                     {.most = std::int64_t{1} << 40, .comma_separated = true}}});
  add_samples_to(app, request.plan);
  Preferences& preferences = request.preferences;
  add_options(
      app, {{"--by", &by, "cost, time, score, energy or co2", one_of("cost|time|score|energy|co2")},
            {"--weight SHARE", parsed(preferences.weight, parse_share, "0.5"),
             "weight of cost in the score, 0 to 1"},
            {"--deadline TIME", parsed(preferences.deadline, parse_duration),
             "leave out what takes longer, such as 2h"},
            {"--risk SHARE", parsed(preferences.risk, parse_share),
             "leave out what misses the deadline with a higher chance, such as 5%, by its interval "
             "[what misses it by the middle of its interval]"},
            {"--max-cost USD", parsed(preferences.max_cost, not_below_zero(Money::parse, "20")),
             "leave out what costs more"}});
  add_what_costs_to(app);
  add_energy_to(app);
  add_options(
      app, {{"--min-accuracy SHARE", parsed(preferences.min_accuracy, parse_share),
             "leave out what reached less (known from --find-epochs and verify)"},
            {"--same-epochs", &request.same_epochs,
             "rank batch sizes at equal epochs, even where --find-epochs learned their own"},
            {"--per-batch", &request.per_batch, "rank each batch size apart"},
            {"--conditions WHICH", &conditions,
             "forecast as-measured, beside the work of others, or undisturbed [undisturbed where "
             "the fleet file says exclusive]",
             one_of("as-measured|undisturbed")},
            {"--include-transfer", &request.with_transfer,
             "count the set-up of a machine and the sending of program and data, as measured or as "
             "the fleet file's data and link say"},
            {"--with-queue", &request.with_queue,
             "count the time that the first probe of each sweep waited in a cluster's queue"}});
  add_unmeasured_to(app);
  spot.add_to(app);
  add_options(app,
              {{"--save-at-notice", &spot.assumed.saves_at_notice,
                "as --notice, for as long as the catalog says that the machine gives notice"}},
              "Spot machines");
  add_alone_to(app, request.alone);
}

void RankOptions::add_unmeasured_to(CLI::App& app) {
  add_options(
      app, {{"--with-unmeasured", &request.with_unmeasured,
             "rank offers on machines that were not measured, too, forecast from the probes"},
            {"--numbers CLASS",
             &numbers,
             "for these: in which the program computes, fp32, tf32 (matrices on Ampere and later) "
             "or amp [as it says, else fp32]",
             {.one_of = "fp32|tf32|amp", .needs = "--with-unmeasured"}}});
}

void RankOptions::add_what_costs_to(CLI::App& app) {
  Demand& demand = request.demand;
  add_options(
      app,
      {{"--costs WHICH", &costs, "full, or marginal: reserved hours and purchases count as paid",
        one_of("full|marginal")},
       {"--disk SIZE", parsed(demand.disk_bytes, parse_bytes),
        "stored while a machine is rented, such as 200GB"},
       {"--egress SIZE", parsed(demand.egress_bytes, parse_bytes),
        "sent away from the provider at the end"},
       {"--snapshots SIZE", parsed(snapshots, parse_bytes),
        "kept after the training; needs --snapshots-kept"},
       {"--snapshots-kept TIME", parsed(snapshots_kept, parse_duration), "how long, such as 30d"}});
}

void RankOptions::add_energy_to(CLI::App& app) {
  Preferences& preferences = request.preferences;
  add_options(app,
              {{"--energy", &energy, "show energy and CO2, too (lapcast help energy.md)"},
               {"--max-co2 KG", parsed(preferences.max_co2_g, grams_of_kilograms),
                "leave out what causes more kg of CO2 equivalent"},
               {"--grid GRAMS_PER_KWH", parsed(preferences.grams_per_kwh, amount_up_to(10'000)),
                "CO2 equivalent of the electricity [by the region of each offer]"},
               {"--meter FILE.csv", &request.meter_file,
                "power of this machine by a meter: lines of time and watts"}});
}

RankRequest RankOptions::checked(const Globals& globals) const {
  static const std::map<std::string, Objective> kObjectives{{"cost", Objective::cost},
                                                            {"time", Objective::time},
                                                            {"score", Objective::score},
                                                            {"energy", Objective::energy},
                                                            {"co2", Objective::co2}};
  RankRequest result = request;
  result.selection.folder = std::filesystem::current_path().string();
  result.selection.own_prices = globals.own_prices;
  Preferences& preferences = result.preferences;
  preferences.by = kObjectives.at(by);
  for (const Conditions each : {Conditions::as_measured, Conditions::undisturbed})
    if (conditions == to_string(each)) result.conditions = each;
  result.marginal = costs == "marginal";
  if (snapshots.has_value() != snapshots_kept.has_value())
    throw Error(ExitCode::usage, "--snapshots and --snapshots-kept need each other");
  result.demand.snapshot_bytes = snapshots.value_or(0);
  result.demand.snapshots_kept = snapshots_kept.value_or(Seconds{0});
  preferences.with_energy = energy || preferences.max_co2_g || preferences.grams_per_kwh;
  result.numbers = precision_named(numbers);
  spot.fill_in(result);
  return result;
}

}  // namespace lapcast
