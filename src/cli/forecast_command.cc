#include <CLI/CLI.hpp>

#include <algorithm>

#include "choose/real_time.h"
#include "cli/commands.h"
#include "cli/earlier_runs.h"
#include "cli/probe_options.h"
#include "cli/selection.h"
#include "report/forecast_report.h"

namespace lapcast {
namespace {

constexpr const char* kFooter = R"(
Examples:
  lapcast forecast last --epochs 90          the time and cost of 90 epochs
  lapcast forecast 3f0c 77e1 --steps 100000
  lapcast forecast 3f0c --after 2            from its first two epochs, beside what it really took

The store's finished runs of the same program, forecast again from as much as was seen of this one,
show how far such forecasts are off: they correct it and give its interval (--alone: do not).
Of a run that went to its end, and through the plan that is forecast, the real time and the
forecast's error are shown. What `show` has beside it: the parts of one forecast.)";

struct Options {
  std::vector<std::string> runs;
  ProbeOptions plan;
  std::int64_t after = 0;
  std::vector<std::string> offer_files;
  EarlierRuns earlier;
};

ExitCode forecast_runs(const Globals& globals, const Options& options) {
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  std::vector<const Run*> each;
  for (const Run& run : runs) each.push_back(&run);
  const TrackRecord record = options.earlier.of(store, each);
  const std::vector<Donor> donors =
      options.earlier.alone ? std::vector<Donor>{} : donors_in(store, runs);
  std::vector<Foreseen> rows;
  for (const Run& run : runs) {
    Assessment own = assess(run, options.plan.plan, options.after, donors);
    const Seen seen = seen_of(own, options.after);
    Foreseen& row = rows.emplace_back(
        Foreseen{&run, with_track_record(std::move(own), run, seen, record), std::nullopt});
    if (row.assessment.plan) row.real = real_time_of(run, *row.assessment.plan);
  }
  const std::vector<Offer> offers =
      options.offer_files.empty() ? std::vector<Offer>{} : load_offers(options.offer_files);
  print(globals, forecast_tables(rows, offers));
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Foreseen& row) {
    return row.assessment.forecast.has_value();
  });
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_forecast(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("forecast", "forecast stored runs, beside their real times");
  command->add_option("RUN", options->runs, "ids, their first digits, or 'last'")->required();
  options->plan.add_plan_to(*command);
  command->add_option("--after", options->after, "use only the laps of the first so many epochs")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
      ->type_name("N");
  options->earlier.add_to(*command);
  command->add_option("--offers", options->offer_files, "catalog of prices")
      ->type_name("FILE.csv")
      ->take_all();
  command->footer(kFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return forecast_runs(globals, *options); }, false};
  });
}

}  // namespace lapcast
