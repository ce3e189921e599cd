#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

#include "choose/epochs_assessment.h"
#include "choose/real_time.h"
#include "cli/commands.h"
#include "cli/earlier_runs.h"
#include "cli/probe_options.h"
#include "cli/selection.h"
#include "cli/training_goal.h"
#include "report/forecast_report.h"

namespace lapcast {
namespace {

constexpr const char* kForecastFooter = R"(
Examples:
  lapcast forecast last --epochs 90          the time and cost of 90 epochs
  lapcast forecast 3f0c 77e1 --steps 100000
  lapcast forecast 3f0c --after 2            from its first two epochs, beside what it really took
  lapcast forecast last --until val_accuracy=0.75   until the target is reached: how many epochs that
                                             takes is forecast too (lapcast epochs)

The store's finished runs of the same program, forecast again from as much as was seen of this one,
show how far such forecasts are off: they correct it and give its interval (--alone: do not).
Of a run that went to its end, and through the plan that is forecast, the real time and the
forecast's error are shown. What `show` has beside it: the parts of one forecast.)";

struct ForecastArguments {
  std::vector<std::string> runs;
  ProbeOptions plan;
  std::int64_t after = 0;
  std::vector<std::string> offer_files;
  EarlierRuns earlier;
  std::string until;
};

/// What the store's other runs tell.
struct Known {
  TrackRecord record;
  std::vector<ValidationSource> validation_sources;
  std::vector<Run> runs;  // with --until only
};

Known known_of(const Store& store, const std::vector<Run>& runs, const ForecastArguments& options) {
  Known known;
  std::vector<const Run*> each;
  for (const Run& run : runs) each.push_back(&run);
  known.record = options.earlier.of(store, each);
  if (!options.earlier.alone) known.validation_sources = validation_sources_in(store, runs);
  if (!options.until.empty()) known.runs = store.runs();
  return known;
}

ForecastRow foresee(const Run& run, const RequestedPlan& plan, std::int64_t after,
                 const Known& known) {
  Assessment own = assess(run, plan, after, known.validation_sources);
  const ObservedPart seen = seen_of(own, after);
  ForecastRow row{&run, with_track_record(std::move(own), run, seen, known.record), std::nullopt,
               std::nullopt};
  if (row.assessment.plan) row.real = real_time_of(run, *row.assessment.plan);
  return row;
}

/// The forecast of a training until the target: of so many epochs as that takes, or the limit.
ForecastRow foresee_until(const Run& run, const ForecastArguments& options, const Known& known) {
  const EpochsOptions look{parse_target(options.until, false), options.plan.plan.epochs, options.after};
  const EpochsAssessment epochs = assess_epochs(run, look, known.runs);
  RequestedPlan asked = options.plan.plan;
  asked.steps = 0;
  if (epochs.needed) asked.epochs = epochs_to_plan(*epochs.needed);
  ForecastRow row = foresee(run, asked, options.after, known);
  row.real = std::nullopt;
  if (!epochs.needed) row.assessment.forecast = tl::unexpected(epochs.needed.error());
  if (!row.assessment.forecast) return row;
  const auto time = time_until(*epochs.needed, row.assessment);
  if (!time) {
    row.assessment.forecast = tl::unexpected(time.error());
    return row;
  }
  row.assessment.forecast->total = *time;
  row.until = *epochs.needed;
  if (epochs.real && std::holds_alternative<outcome::Ended>(run.outcome))
    row.real = real_time(run, std::llround(std::ceil(*epochs.real)));
  return row;
}

ExitCode forecast_runs(const Globals& globals, const ForecastArguments& options) {
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  const Known known = known_of(store, runs, options);
  std::vector<ForecastRow> rows;
  for (const Run& run : runs)
    rows.push_back(options.until.empty() ? foresee(run, options.plan.plan, options.after, known)
                                         : foresee_until(run, options, known));
  const std::vector<Offer> offers =
      options.offer_files.empty() ? std::vector<Offer>{} : load_offers(options.offer_files);
  print(globals, forecast_tables(rows, offers));
  const bool any = std::any_of(rows.begin(), rows.end(), [](const ForecastRow& row) {
    return row.assessment.forecast.has_value();
  });
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_forecast(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<ForecastArguments>();
  CLI::App* command =
      app.add_subcommand("forecast", "forecast stored runs, beside their real times");
  command->add_option("RUN", options->runs, "ids, their first digits, or 'last'")->required();
  options->plan.add_plan_to(*command);
  command->add_option("--after", options->after, "use only the laps of the first so many epochs")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
      ->type_name("N");
  options->earlier.add_to(*command);
  command->add_option("--until", options->until,
                      "train until this metric is reached; --epochs is then the limit")
      ->type_name("NAME=VALUE");
  command->add_option("--offers", options->offer_files, "catalog of prices")
      ->type_name("FILE.csv")
      ->take_all();
  command->footer(kForecastFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return forecast_runs(globals, *options); }, false};
  });
}

}  // namespace lapcast
