#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/run_options.h"
#include "commands/forecast/planned_steps.h"
#include "core/units.h"
#include "extrapolate/memory_fit.h"
#include "query/forecast_run.h"
#include "query/input_files.h"
#include "query/selected_runs.h"
#include "query/worker_forecast.h"
#include "query/worker_tables.h"
#include "report/curve_plot.h"
#include "report/forecast_report.h"
#include "report/memory_report.h"

namespace lapcast {
namespace {

constexpr const char* kForecastFooter = R"(
Examples:
  lapcast forecast last --epochs 90          the time and cost of 90 epochs
  lapcast forecast 3f0c 77e1 --steps 100000
  lapcast forecast 3f0c --after 2            from its first two epochs, beside what it really took
  lapcast forecast last --memory --in 24GB --batch 512   does it fit on a 24 GB card? what is the
                                             largest batch that does?
  lapcast forecast --memory --sweep last     the same from the batch sizes of a sweep
  lapcast forecast last --until val_accuracy=0.75   until the target is reached: how many epochs that
                                             takes is forecast too (lapcast epochs)
  lapcast forecast 3f0c 77e1 --workers 1,2,4,8 --epochs 90   on more workers, from runs with 1 and 2
  lapcast forecast 3f0c 77e1 --layout tp=2,pp=4 --layout tp=4,pp=2   in other layouts of a transformer

The store's finished runs of the same program, forecast again from as much as was seen of this one,
show how far such forecasts are off: they correct it and give its interval (--alone: do not).
Of a run that went to its end, and through the plan that is forecast, the real time and the
forecast's error are shown. --memory needs runs of the program with two batch sizes, and takes all of
them that the store has (lapcast help memory.md). What `show` has beside it: the parts of one forecast.)";

struct ForecastArguments {
  std::vector<std::string> runs;
  ProbeOptions plan;
  ForecastRequest request;  // without what the other members say
  std::vector<std::string> offer_files;
  std::string until;
  std::vector<int> workers;
  std::vector<std::string> layouts;
  std::optional<int> layers;
  int in_node = 0;
  std::string machine;  // names of machine types, with commas; empty = all
  EpochsByBatch epochs_at;
  bool memory = false;
  std::string sweep;          // of --memory; empty = none
  std::int64_t in_bytes = 0;  // 0 = not given
  std::vector<std::int64_t> batches;
  std::int64_t length = 0;
};

/// Asks for the training of the first run on the numbers of workers of the options. `machine` must
/// outlive the question.
WorkerQuestion question_about(const ForecastArguments& options, std::span<const Run> runs,
                              const Store& store, const Result<FleetMachine>& machine) {
  WorkerQuestion question{.plan = options.plan.plan,
                          .workers = options.workers,
                          .in_node = options.in_node,
                          .machine = machine ? &*machine : nullptr,
                          .epochs_at = options.epochs_at};
  const RunContext& first = runs.front().context;
  if (!options.request.alone && !first.program.empty())
    question.learned = learned_needs(
        first, store.runs({.kind = RunKind::find_epochs, .first_word = first.program.at(0)}));
  return question;
}

Table layouts_of(const ForecastArguments& options, std::span<const Run> runs, const Store& store,
                 RunForecaster& forecaster, std::span<const Offer> offers) {
  const auto machine = FleetLookup(store).machine_of(runs.front());
  LayoutQuestion question{question_about(options, runs, store, machine), {}, options.layers};
  for (const std::string& layout : options.layouts)
    question.layouts.push_back(parse_layout(layout));
  const auto found = forecast_in_layouts(runs, question, forecaster, offers);
  if (!found) throw Error(ExitCode::some_failed, found.error().text);
  return layout_tables(*found).front();
}

ExitCode print_workers(const Globals& globals, const ForecastArguments& options,
                       const std::vector<Run>& runs, const Store& store) {
  RunForecaster forecaster = options.request.alone ? RunForecaster() : RunForecaster(store);
  std::vector<Offer> offers;
  if (!options.offer_files.empty()) offers = load_offers(options.offer_files, globals.own_prices);
  const RunsByMachine by_type = runs_by_machine_type(runs, options.machine);
  if (!options.layouts.empty()) {
    if (by_type.size() > 1)
      throw Error(ExitCode::usage, "the runs are on several machine types: add --machine NAME");
    print(globals, {layouts_of(options, by_type.begin()->second, store, forecaster, offers)});
    return ExitCode::ok;
  }
  WorkerForecasts forecasts;
  std::vector<std::string> left_out;
  for (const auto& [name, own] : by_type) {
    const auto machine = FleetLookup(store).machine_of(own.front());
    auto found =
        forecast_workers(own, question_about(options, own, store, machine), forecaster, offers);
    if (found)
      forecasts.emplace(name, *std::move(found));
    else
      left_out.push_back(by_type.size() == 1 ? found.error().text
                                             : printable(name) + ": " + found.error().text);
  }
  if (forecasts.empty())
    throw Error(ExitCode::some_failed, fmt::format("{}", fmt::join(left_out, "; ")));
  std::vector<Table> tables = worker_tables(forecasts);
  std::ranges::move(left_out, std::back_inserter(tables.front().warnings));
  if (by_type.size() > 1)
    tables.front().notes.push_back(
        "the runs on each machine type are a fit of their own; --machine NAME,NAME takes those of "
        "machines with the same hardware as one");
  print(globals, tables);
  return ExitCode::ok;
}

/// Returns the runs of the same programs as those that are named, or those of a sweep.
std::vector<Run> runs_to_compare(const Store& store, const ForecastArguments& options,
                                 const std::vector<Run>& named) {
  if (!options.sweep.empty()) {
    const std::string name = options.sweep == "last" ? "" : options.sweep;
    return store.runs({.sweep = selected_sweep(store, {.sweep = name}), .own = true});
  }
  std::vector<Run> runs;
  std::set<std::string> words;
  for (const Run& run : named)
    if (words.insert(run.context.program.at(0)).second)
      std::ranges::move(store.runs({.first_word = run.context.program[0], .own = true}),
                        std::back_inserter(runs));
  return runs;
}

ExitCode forecast_memory(const Globals& globals, const ForecastArguments& options) {
  const Store store = globals.open_existing_store();
  std::vector<Run> named;
  if (options.sweep.empty())
    for (const std::string& id :
         options.runs.empty() ? std::vector<std::string>{"last"} : options.runs)
      named.push_back(store.get(id));
  const std::vector<Run> runs = runs_to_compare(store, options, named);
  std::vector<MemoryByBatch> programs = memory_by_batch(runs);
  if (!named.empty())
    std::erase_if(programs, [&](const MemoryByBatch& program) {
      return std::ranges::none_of(program.uses, [&](const MemoryUse& use) {
        return std::ranges::find(named, use.run, [](const Run& run) { return run.context.id; }) !=
               named.end();
      });
    });
  MemoryQuestion question{.batches = options.batches};
  if (options.in_bytes > 0) question.in_bytes = options.in_bytes;
  question.length = options.length;
  std::vector<Table> tables = memory_forecast_tables(programs, question);
  Table sequences = sequence_memory_table(named.empty() ? runs : named, question);
  std::ranges::move(sequences.answer, std::back_inserter(tables.front().answer));
  const bool is_any = !tables.back().rows.empty() || !sequences.answer.empty();
  sequences.answer.clear();
  tables.push_back(std::move(sequences));
  print(globals, tables);
  return is_any ? ExitCode::ok : ExitCode::some_failed;
}

ExitCode print_forecasts(const Globals& globals, const ForecastArguments& options) {
  if (options.memory) return forecast_memory(globals, options);
  if (options.in_node > 0 && options.workers.empty() && options.layouts.empty())
    throw Error(ExitCode::usage, "--in-node needs --workers or --layout");
  if (!options.machine.empty() && options.workers.empty() && options.layouts.empty())
    throw Error(ExitCode::usage, "--machine needs --workers or --layout");
  if (options.runs.empty()) throw Error(ExitCode::usage, "say which runs: their ids, or 'last'");
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  if (!options.workers.empty() || !options.layouts.empty())
    return print_workers(globals, options, runs, store);
  ForecastRequest request = options.request;
  request.plan = options.plan.plan;
  for (const Run& run : runs) refuse_other_steps(request.plan.steps, run);
  if (!options.until.empty()) request.goal = parse_target(options.until, false);
  const std::vector<ForecastRow> rows = forecast_runs(store, runs, request);
  std::vector<Offer> offers;
  if (!options.offer_files.empty()) offers = load_offers(options.offer_files, globals.own_prices);
  print(globals, forecast_tables(rows, offers));
  const bool any = std::ranges::any_of(
      rows, [](const ForecastRow& row) { return row.assessment.forecast.has_value(); });
  return any ? ExitCode::ok : ExitCode::some_failed;
}

/// Adds the options of a forecast of memory.
void add_memory_to(CLI::App& app, ForecastArguments& options) {
  add_options(app,
              {{"--memory", &options.memory,
                "forecast the memory of other batch sizes, and the largest that fits"},
               {"--in SIZE",
                parsed(options.in_bytes, above_zero(parse_bytes, "24GB")),
                "memory into which it has to fit [that of the runs' machines]",
                {.needs = "--memory"}},
               {"--batch N,N",
                &options.batches,
                "batch sizes that have to fit",
                {.most = kMostBatch, .comma_separated = true, .needs = "--memory"}},
               {"--length N",
                &options.length,
                "length of sequences that has to fit [the longest that the data may have]",
                {.most = kMostBatch, .needs = "--memory"}},
               {"--sweep NAME",
                &options.sweep,
                "the runs of a sweep: its name, id or the first digits of it, or 'last'",
                {.needs = "--memory"}}},
              "Memory");
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
  add_options(command, {{"RUN", &options.runs, "ids, their first digits, or 'last'"}});
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
       {"--layout tp=N,pp=N", &options.layouts,
        "the training of the first RUN in another layout (also dp=N, micro=N), from all RUNs",
        excludes("--workers")},
       {"--layers N",
        &options.layers,
        "layers of the network, for --layout [as the program's arguments say, else 24]",
        {.most = 100000, .needs = "--layout"}},
       {"--in-node N", &options.in_node,
        "workers that fill a machine; more of them take several [one machine]", up_to(100000)},
       {"--machine NAME,NAME", &options.machine,
        "take the runs on these machines alone, as on one type [each machine type has its own "
        "fit]"},
       {"--epochs-at BATCH=N,BATCH=N",
        parsed(options.epochs_at, parse_epochs_at),
        "epochs that the training needs at these global batches",
        {.needs = "--workers"}}},
      "Numbers of workers");
  add_memory_to(command, options);
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
