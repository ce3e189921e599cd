#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/sweep.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/offer_options.h"
#include "cli/page_file.h"
#include "cli/run_options.h"
#include "commands/shortlist/shortlist_report.h"
#include "core/units.h"
#include "fleet/placeholders.h"
#include "price/offer_filter.h"
#include "query/home_measurement.h"
#include "query/input_files.h"

namespace lapcast {
namespace {

constexpr const char* kShortlistFooter = R"(
Examples:
  lapcast shortlist --batch 32,128 -- python3 train.py --batch {batch}
  lapcast shortlist --batch 32,128 --by time --max-cost 20 -- python3 train.py --batch {batch}
  lapcast shortlist --numbers amp --gpu a100 --terms on-demand -- python3 train.py
  lapcast shortlist --from 3f0c --from 77e1 --epochs 90       laps that the store has
  lapcast shortlist --profile laps.toml --epochs 90 --samples 50000

It measures some laps on this machine, as `lapcast sweep` does, and forecasts the training on every
offer with one accelerator before anything is rented: time and cost with intervals that say how far
such forecasts are off, the chance of being the best, and which machines are worth three minutes of
measuring. Two batch sizes far apart say which part of a lap is the host's. The training is that of
the first batch size. A second `shortlist` measures nothing anew. lapcast help shortlist.md)";

struct ShortlistArguments {
  std::string batch;
  std::vector<std::string> settings;
  ProbeOptions probe;
  std::vector<std::string> from;
  std::string profile;
  std::string accelerator;
  std::string numbers = "fp32";
  std::string by = "cost";
  OfferFilter filter;
  std::vector<std::string> offer_files;
  Preferences preferences;
  std::int64_t top = 10;
  bool each_offer = false;
  bool again = false;
};

PlaceholderValues values_of(const ShortlistArguments& options) {
  PlaceholderValues values;
  if (!options.batch.empty()) values.insert(parse_setting("batch=" + options.batch));
  for (const std::string& setting : options.settings)
    if (!values.insert(parse_setting(setting)).second)
      throw Error(ExitCode::usage, fmt::format("{} is given twice", printable(setting)));
  return values;
}

/// Puts the runs at the first batch size that was given to the front.
void put_first(std::vector<Run>& runs, const std::string& batches) {
  const std::string first = batches.substr(0, batches.find(','));
  std::stable_partition(runs.begin(), runs.end(), [&](const Run& run) {
    const auto setting = run.context.settings.find("batch");
    return setting != run.context.settings.end() && setting->second == first;
  });
}

/// Returns the runs that say what a lap takes: those of --from, else probes on this machine.
/// Returns nothing when the user interrupted them.
std::optional<std::vector<Run>> runs_for(const Globals& globals, const ShortlistArguments& options,
                                         Store& store) {
  std::vector<Run> runs;
  for (const std::string& id : options.from) runs.push_back(store.get(id));
  if (!runs.empty()) return runs;
  SweepRequest request;
  request.own_prices = globals.own_prices;
  request.values = values_of(options);
  request.typed = typed_line(globals);
  request.again = options.again;
  request.probe =
      options.probe.request(common_context(program_of(globals, "shortlist"), options.probe.plan));
  const SweepPlan plan = plan_sweep(request);
  warn(plan.warnings);
  CampaignDisplay display(globals.quiet);
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  SweepResult result = run_sweep(plan, {store, executor, interrupt, display});
  if (result.interrupted) return std::nullopt;
  put_first(result.runs, options.batch);
  return std::move(result.runs);
}

ExitCode print_shortlist(const Globals& globals, const ShortlistArguments& options,
                         const HomeMeasurement& home) {
  Preferences preferences = options.preferences;
  preferences.by = options.by == "time" ? Objective::time : Objective::cost;
  const std::vector<Offer> offers = load_offers(options.offer_files, globals.own_prices);
  const std::vector<const Offer*> found = matching_offers(offers, options.filter);
  const ShortlistSize size{static_cast<std::size_t>(options.top), options.each_offer};
  const auto list = make_shortlist(home, found, preferences, size, AcceleratorTable::shipped(),
                                   read_machine_factors(machine_factors_csv()));
  if (!list) throw Error(ExitCode::some_failed, list.error().text);
  print(globals, shortlist_tables(home, *list, preferences));
  return list->rows.empty() ? ExitCode::some_failed : ExitCode::ok;
}

ExitCode shortlist(const Globals& globals, const ShortlistArguments& options) {
  const auto& table = AcceleratorTable::shipped();
  if (!options.profile.empty())
    return print_shortlist(globals, options,
                           home_of_profile(read_file(options.profile, "profile", kMostWritten),
                                           options.profile, options.probe.plan, table));
  Store store = options.from.empty() ? globals.open_store() : globals.open_existing_store();
  const auto runs = runs_for(globals, options, store);
  if (!runs) return tell_interrupted(options.again);
  RunForecaster forecaster(store);
  const auto home = home_of_runs(*runs, options.probe.plan, forecaster, options.accelerator,
                                 *precision_named(options.numbers), table);
  if (!home) throw Error(ExitCode::some_failed, home.error().text);
  return print_shortlist(globals, options, *home);
}

void add_offers_to(CLI::App& app, ShortlistArguments& options) {
  constexpr const char* kGroup = "Which offers";
  Preferences& preferences = options.preferences;
  add_options(
      app,
      {{"--by", &options.by, "cost or time", one_of("cost|time")},
       {"--deadline TIME", parsed(preferences.deadline, parse_duration),
        "leave out what takes longer, such as 2h"},
       {"--max-cost USD", parsed(preferences.max_cost, not_below_zero(Money::parse, "20")),
        "leave out what costs more"},
       {"--offers FILE.csv", &options.offer_files, "catalogs [those that came with lapcast]"}},
      kGroup);
  add_filter_to(app, options.filter, Accelerators::one, kGroup);
  add_options(
      app,
      {{"--each-offer", &options.each_offer, "a row for each offer, not for each accelerator"},
       {"--top N", &options.top, "rows that are shown", up_to(1'000'000)}},
      kGroup);
}

}  // namespace

static void add_shortlist(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "shortlist", "forecast every offer from laps on this machine", kShortlistFooter,
               shortlist, Takes::program);
  add_options(
      command,
      {{"--batch N,N", &options.batch, "values of {batch}; the first is that of the training"},
       {"--set NAME=V", &options.settings, "value of another placeholder: lr=0.1"},
       {"--from RUN", &options.from,
        "stored runs instead of new laps; the first is that of the training", excludes("--batch")},
       {"--profile FILE.toml", &options.profile,
        "what somebody wrote down of the laps (lapcast help shortlist.md)", excludes("--from")},
       {"--accelerator NAME", &options.accelerator,
        "accelerator of the measured machine [as its driver says]"},
       {"--numbers CLASS", &options.numbers,
        "in which the program computes: fp32, tf32 (matrices on Ampere and later) or amp",
        one_of("fp32|tf32|amp")}},
      "What was measured");
  add_offers_to(command, options);
  options.probe.add_plan_to(command);
  options.probe.add_limits_to(command);
  add_options(command, {{"--again", &options.again, "measure anew, even if all is measured"}},
              "How long to measure");
}

extern const NamedCommand kShortlistCommand{"shortlist", add_shortlist};

}  // namespace lapcast
