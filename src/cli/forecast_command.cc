#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/forecast_run.h"
#include "app/training_goal.h"
#include "cli/commands.h"
#include "cli/probe_options.h"
#include "cli/selection.h"
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
  ForecastRequest request;  // without what the other members say
  std::vector<std::string> offer_files;
  std::string until;
};

ExitCode print_forecasts(const Globals& globals, const ForecastArguments& options) {
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  ForecastRequest request = options.request;
  request.plan = options.plan.plan;
  if (!options.until.empty()) request.goal = parse_target(options.until, false);
  const std::vector<ForecastRow> rows = forecast_runs(store, runs, request);
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
  command
      ->add_option("--after", options->request.first_epochs,
                   "use only the laps of the first so many epochs")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
      ->type_name("N");
  add_alone_to(*command, options->request.alone);
  command
      ->add_option("--until", options->until,
                   "train until this metric is reached; --epochs is then the limit")
      ->type_name("NAME=VALUE");
  command->add_option("--offers", options->offer_files, "catalog of prices")
      ->type_name("FILE.csv")
      ->take_all();
  command->footer(kForecastFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return print_forecasts(globals, *options); }, false};
  });
}

}  // namespace lapcast
