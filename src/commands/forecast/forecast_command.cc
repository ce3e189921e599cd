#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/run_options.h"
#include "query/forecast_run.h"
#include "query/worker_forecast.h"
#include "query/worker_tables.h"
#include "report/curve_plot.h"
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
  lapcast forecast 3f0c 77e1 --workers 1,2,4,8 --epochs 90   on more workers, from runs with 1 and 2

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
  std::vector<int> workers;
  int in_node = 0;
};

ExitCode print_workers(const Globals& globals, const ForecastArguments& options,
                       std::span<const Run> runs, const Store& store) {
  RunForecaster forecaster = options.request.alone ? RunForecaster() : RunForecaster(store);
  std::vector<Offer> offers;
  if (!options.offer_files.empty()) offers = load_offers(options.offer_files, globals.own_prices);
  const auto found = forecast_workers(runs, {options.plan.plan, options.workers, options.in_node},
                                      forecaster, offers);
  if (!found) throw Error(ExitCode::some_failed, found.error().text);
  print(globals, worker_tables(*found));
  return ExitCode::ok;
}

ExitCode print_forecasts(const Globals& globals, const ForecastArguments& options) {
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  if (!options.workers.empty()) return print_workers(globals, options, runs, store);
  ForecastRequest request = options.request;
  request.plan = options.plan.plan;
  if (!options.until.empty()) request.goal = parse_target(options.until, false);
  const std::vector<ForecastRow> rows = forecast_runs(store, runs, request);
  std::vector<Offer> offers;
  if (!options.offer_files.empty()) offers = load_offers(options.offer_files, globals.own_prices);
  print(globals, forecast_tables(rows, offers));
  const bool any = std::ranges::any_of(
      rows, [](const ForecastRow& row) { return row.assessment.forecast.has_value(); });
  return any ? ExitCode::ok : ExitCode::some_failed;
}

constexpr const char* kEpochsFooter = R"(
Examples:
  lapcast epochs --target val_accuracy=0.75            of the newest run
  lapcast epochs 3f0c 77e1 --target val_loss=0.3       a loss is better when it is smaller
  lapcast epochs last --target wer=0.06 --max-epochs 90
  lapcast epochs 3f0c --target val_accuracy=0.75 --plot        draws the learning curve, too
  lapcast epochs last --patience 5 --metric val_loss   until it stops improving
  lapcast epochs 3f0c --target val_accuracy=0.75 --after 10   from its first ten epochs

The forecast rests on the run's own curve and on the curves of all other runs of the same program in
the store, on any machine. It is a median with a 95 % interval, and the probability that the target
is reached at all within --max-epochs (else within what the run has planned and not yet trained, else
within 20 times what it has trained or twice the longest other run).)";

struct EpochsArguments {
  std::vector<std::string> runs{"last"};
  std::string target;
  std::string metric = "val_accuracy";
  std::int64_t patience = 0;
  bool lower = false;
  std::int64_t max_epochs = 0;
  std::int64_t after = 0;
  bool plot = false;
};

TrainingGoal goal_of(const EpochsArguments& options) {
  if (!options.target.empty()) return parse_target(options.target, options.lower);
  if (options.patience == 0)
    throw Error(ExitCode::usage,
                "say what for: --target val_accuracy=0.75, or --patience 5 --metric val_accuracy");
  return {.metric = options.metric,
          .smaller_is_better = options.lower || smaller_is_better(options.metric),
          .patience = options.patience};
}

ExitCode forecast_epochs(const Globals& globals, const EpochsArguments& options) {
  const EpochsOptions wanted{goal_of(options), options.max_epochs, options.after};
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  const std::vector<Run> others = store.runs();
  std::vector<EpochsRow> rows;
  for (const Run& run : runs)
    rows.push_back({&run, wanted.goal, assess_epochs(run, wanted, others)});
  std::vector<Table> tables = epochs_tables(rows, describe(wanted.goal));
  if (options.plot && globals.format == "table")
    for (const EpochsRow& row : rows)
      if (auto plot = curve_plot(row, globals.plot_style())) tables.push_back(*std::move(plot));
  print(globals, tables);
  const bool any = std::ranges::any_of(
      rows, [](const EpochsRow& row) { return row.assessment.needed.has_value(); });
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

static void add_forecast(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "forecast", "forecast stored runs, beside their real times", kForecastFooter,
               print_forecasts);
  add_options(command, {{"RUN", &options.runs, "ids, their first digits, or 'last'", kRequired}});
  options.plan.add_plan_to(command);
  add_options(command, {{"--after N", &options.request.first_epochs,
                         "use only the laps of the first so many epochs", kCount}});
  add_alone_to(command, options.request.alone);
  add_options(command, {{"--until NAME=VALUE", &options.until,
                         "train until this metric is reached; --epochs is then the limit"},
                        {"--offers FILE.csv", &options.offer_files, "catalog of prices"}});
  add_options(
      command,
      {{"--workers N,N", parsed(options.workers, parse_workers),
        "the training of the first RUN on so many workers, from all RUNs", excludes("--until")},
       {"--in-node N",
        &options.in_node,
        "workers that fill a machine; more of them take several [one machine]",
        {.most = 100000, .needs = "--workers"}}},
      "Numbers of workers");
}

extern const NamedCommand kForecastCommand{"forecast", add_forecast};

static void add_epochs(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "epochs", "how many epochs until a target, or until nothing improves",
               kEpochsFooter, forecast_epochs);
  constexpr std::int64_t kMostEpochs = std::int64_t{1} << 40;
  add_options(
      command,
      {{"RUN", &options.runs, "ids, their first digits, or 'last'"},
       {"--target NAME=VALUE", &options.target, "metric and value to reach"},
       {"--patience N",
        &options.patience,
        "stop after so many reports without a better value",
        {.most = kMostEpochs, .excludes = "--target"}},
       {"--metric NAME", &options.metric, "of --patience", excludes("--target")},
       {"--lower-is-better", &options.lower,
        "smaller values are better [for names with loss, error, perplexity, wer, cer]"},
       {"--max-epochs N", &options.max_epochs, "training ends then at the latest",
        up_to(kMostEpochs)},
       {"--after N", &options.after,
        "use only the first so many epochs, and runs that started before", up_to(kMostEpochs)},
       {"--plot", &options.plot, "draw the learning curve of each run"}});
}

extern const NamedCommand kEpochsCommand{"epochs", add_epochs};

}  // namespace lapcast
