#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/offer_options.h"
#include "cli/run_options.h"
#include "commands/shortlist/home_options.h"
#include "commands/shortlist/shortlist_report.h"
#include "price/offer_filter.h"
#include "query/home_measurement.h"

namespace lapcast {
namespace {

constexpr const char* kShortlistFooter = R"(
Examples:
  lapcast shortlist --batch 32,128 -- python3 train.py --batch {batch}
  lapcast shortlist --batch 32,128 --by time --max-cost 20 -- python3 train.py --batch {batch}
  lapcast shortlist --numbers amp --gpu a100 --terms on-demand -- python3 train.py
  lapcast shortlist --workers 1,2 -- torchrun --nproc-per-node {workers} train.py
  lapcast shortlist --from 3f0c --from 77e1 --epochs 90       laps that the store has
  lapcast shortlist --profile laps.toml --epochs 90 --samples 50000

It measures some laps on this machine, as `lapcast sweep` does, and forecasts the training on every
offer with an accelerator before anything is rented: time and cost with intervals that say how far
such forecasts are off, the chance of being the best, and which machines are worth three minutes of
measuring. Two batch sizes far apart say which part of a lap is the host's. The training is that of
the first batch size. A second `shortlist` measures nothing anew. lapcast help shortlist.md)";

struct ShortlistArguments {
  HomeOptions home;
  OfferFilter filter;
  std::vector<std::string> offer_files;
  std::int64_t top = 10;
  bool each_offer = false;
};

ExitCode print_shortlist(const Globals& globals, const ShortlistArguments& options,
                         const HomeMeasurement& home) {
  const Preferences preferences = options.home.wanted();
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
  const auto home = options.home.measure(globals, "shortlist");
  if (!home) return tell_interrupted(options.home.again);
  return print_shortlist(globals, options, *home);
}

void add_offers_to(CLI::App& app, ShortlistArguments& options) {
  constexpr const char* kGroup = "Which offers";
  options.home.add_limits_to(app, kGroup);
  add_options(
      app, {{"--offers FILE.csv", &options.offer_files, "catalogs [those that came with lapcast]"}},
      kGroup);
  add_filter_to(app, options.filter, kGroup);
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
  options.home.add_to(command);
  add_offers_to(command, options);
  options.home.add_probes_to(command);
}

extern const NamedCommand kShortlistCommand{"shortlist", add_shortlist};

}  // namespace lapcast
