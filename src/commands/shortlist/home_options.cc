#include "commands/shortlist/home_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "campaign/sweep.h"
#include "cli/candidate_options.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/page_file.h"
#include "core/units.h"
#include "query/forecast_run.h"
#include "query/home_measurement.h"
#include "query/input_files.h"
#include "query/own_programs.h"
#include "query/worker_forecast.h"

namespace lapcast {
namespace {

/// Puts the runs with the first of the values that were given to the front.
void put_first(std::vector<Run>& runs, const PlaceholderValues& values) {
  std::stable_partition(runs.begin(), runs.end(), [&](const Run& run) {
    return std::ranges::all_of(values, [&](const auto& given) {
      const auto setting = run.context.settings.find(given.first);
      return setting != run.context.settings.end() && setting->second == given.second.front();
    });
  });
}

}  // namespace

void HomeOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--batch N,N", &batch, "values of {batch}; the first is that of the training"},
       {"--set NAME=V", &settings, "value of another placeholder: lr=0.1"},
       {"--from RUN", &from, "stored runs instead of new laps; the first is that of the training",
        excludes("--batch")},
       {"--workers N,N", parsed(workers, parse_workers),
        "values of {workers}: GPUs that train together here; offers with several then have rows",
        excludes("--from")},
       {"--profile FILE.toml", &profile,
        "what somebody wrote down of the laps (lapcast help shortlist.md)", excludes("--from")},
       {"--accelerator NAME", &accelerator,
        "accelerator of the measured machine [as its driver says]"},
       {"--numbers CLASS", &numbers,
        "in which the program computes: fp32, tf32 (matrices on Ampere and later) or amp [as it "
        "says, else fp32]",
        one_of("fp32|tf32|amp")},
       {"--alone", &alone,
        "from these laps only: earlier runs of this and of your other programs teach nothing"}},
      "What was measured");
}

void HomeOptions::add_limits_to(CLI::App& app, const char* group) {
  add_options(app,
              {{"--by", &by, "cost or time", one_of("cost|time")},
               {"--deadline TIME", parsed(preferences.deadline, parse_duration),
                "leave out what takes longer, such as 2h"},
               {"--max-cost USD", parsed(preferences.max_cost, not_below_zero(Money::parse, "20")),
                "leave out what costs more"}},
              group);
}

void HomeOptions::add_probes_to(CLI::App& app) {
  probe.add_plan_to(app);
  probe.add_limits_to(app);
  add_options(app, {{"--again", &again, "measure anew, even if all is measured"}},
              "How long to measure");
}

PlaceholderValues HomeOptions::values() const {
  return values_of(batch, workers, settings);
}

Preferences HomeOptions::wanted() const {
  Preferences wanted = preferences;
  wanted.by = by == "time" ? Objective::time : Objective::cost;
  return wanted;
}

std::optional<std::vector<Run>> HomeOptions::runs(const Globals& globals,
                                                  const std::string& command, Store& store) const {
  std::vector<Run> runs;
  for (const std::string& id : from) runs.push_back(store.get(id));
  if (!runs.empty()) return runs;
  SweepRequest request;
  request.own_prices = globals.own_prices;
  request.values = values();
  request.typed = typed_line(globals);
  request.again = again;
  request.probe = probe.request(common_context(program_of(globals, command), probe.plan));
  const SweepPlan plan = plan_sweep(request);
  warn(plan.warnings);
  CampaignDisplay display(globals.quiet);
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  SweepResult result = run_sweep(plan, {store, executor, interrupt, display});
  if (result.interrupted) return std::nullopt;
  put_first(result.runs, request.values);
  return std::move(result.runs);
}

std::optional<HomeMeasurement> HomeOptions::measure(const Globals& globals,
                                                    const std::string& command) const {
  const auto& table = AcceleratorTable::shipped();
  if (!profile.empty()) {
    HomeMeasurement home =
        home_of_profile(read_file(profile, "profile", kMostWritten), profile, probe.plan, table);
    if (!alone && std::filesystem::exists(globals.store_path()))
      home.own_programs = own_programs(globals.open_existing_store(), {});
    return home;
  }
  Store store = from.empty() ? globals.open_store() : globals.open_existing_store();
  const auto measured = runs(globals, command, store);
  if (!measured) return std::nullopt;
  RunForecaster forecaster = alone ? RunForecaster() : RunForecaster(store);
  auto home = home_of_runs(
      *measured, [&](const Run& run) { return forecaster.forecast(run, probe.plan); }, accelerator,
      precision_named(numbers), table);
  if (!home) throw Error(ExitCode::some_failed, home.error().text);
  if (!alone) home->own_programs = own_programs(store, *measured);
  return *std::move(home);
}

}  // namespace lapcast
