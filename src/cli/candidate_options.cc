#include "cli/candidate_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/console.h"
#include "cli/displays.h"
#include "cli/run_options.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/placeholders.h"
#include "fleet/power_setting.h"
#include "fleet/worker_gpus.h"
#include "query/worker_forecast.h"
#include "report/repeat_report.h"

namespace lapcast {
namespace {

constexpr std::size_t kRepeats = 10;      // without --repeats and --until
constexpr std::size_t kLeastOfUntil = 5;  // an interval from fewer runs says little
constexpr std::size_t kMostOfUntil = 30;

}  // namespace

void CandidateOptions::add_to(CLI::App& app) {
  add_options(app,
              {{"FLEET.toml", &fleet_file, "machine types and their prices [this machine alone]"},
               {"--batch N,N", &batch,
                "values of {batch}: the same as --set batch=...; auto: the largest that fits"},
               {"--workers N,N", parsed(workers, parse_workers),
                "values of {workers}: numbers of processes (or GPUs) that train together"},
               {"--set NAME=V,V", &settings, "values of a placeholder: lr=0.1,0.01"},
               {"--power-limits W,W", &power_limits,
                "limits of the GPUs in watts, each a setting: power=250W; needs root"},
               {"--price USD", parsed(price, parse_price),
                "USD per hour of this machine, without a fleet file"},
               {"--offers FILE.csv", &offer_files, "catalog of the offers that the file names"}},
              "What to run");
}

PlaceholderValues values_of(const std::string& batch, const std::vector<int>& workers,
                            const std::vector<std::string>& settings) {
  PlaceholderValues values;
  if (!batch.empty()) values.insert(parse_setting("batch=" + batch));
  if (!workers.empty())
    values.insert(parse_setting(fmt::format("{}={}", kWorkersSetting, fmt::join(workers, ","))));
  for (const std::string& setting : settings)
    if (!values.insert(parse_setting(setting)).second)
      throw Error(ExitCode::usage, fmt::format("{} is given twice", printable(setting)));
  return values;
}

void CandidateOptions::take_into(SweepRequest& request, const Globals& globals,
                                 const std::string& command) const {
  request.fleet_file = fleet_file;
  request.offer_files = offer_files;
  request.own_prices = globals.own_prices;
  request.values = values_of(batch, workers, settings);
  if (!power_limits.empty() &&
      !request.values
           .insert({kPowerSetting, parse_power_limits(power_limits, program_of(globals, command))})
           .second)
    throw Error(ExitCode::usage, "--power-limits and --set power=... are the same setting");
  if (price) request.price = offer_of_price(*price, kThisMachine);
}

void add_going_on_to(CLI::App& app, SweepRequest& request) {
  add_options(app,
              {{"--name NAME", &request.name, "a name for it, for --sweep NAME"},
               {"--again", &request.again, "measure all anew, even if all is measured"},
               {"--keep", &request.keep,
                "go on with what was measured, even though the program's files changed",
                excludes("--again")}},
              "Going on with a sweep");
}

void FleetRepeatOptions::add_rule_to(CLI::App& app) {
  add_options(app,
              {{"--repeats N", &repeats,
                "runs of each candidate besides warm-ups [10; 30 with --until]", up_to(10000)},
               {"--until SHARE", parsed(until, above_zero(parse_share, "5%")),
                "end a candidate after 5 runs or more, once half the width of the 95 % interval of "
                "its mean "
                "time is below this share of it: 5%"}},
              "How often to run");
}

void FleetRepeatOptions::add_rest_to(CLI::App& app, const char* group) {
  add_options(app,
              {{"--warm-up N",
                &warm_ups,
                "first runs of each candidate that count in no mean [1]",
                {.most = 1000, .least = 0}},
               {"--baseline MACHINE", &baseline,
                "candidate that speed-ups are over: cpu or cpu,batch=128 [the first]"},
               {"--server MACHINE", &server,
                "machine whose cores GPUs are compared with, besides their own: <own, server>"}},
              group);
}

void FleetRepeatOptions::fill_in(FleetRepeatRequest& request) const {
  if (warm_ups) request.warm_ups = static_cast<std::size_t>(*warm_ups);
  request.baseline = baseline;
  request.server = server;
}

RepeatRule FleetRepeatOptions::rule() const {
  if (!until) {
    const std::size_t runs = repeats > 0 ? repeats : kRepeats;
    return {.at_least = runs, .precision = std::numeric_limits<double>::infinity(), .most = runs};
  }
  const std::size_t most = repeats > 0 ? repeats : kMostOfUntil;
  return {.at_least = std::min(kLeastOfUntil, most), .precision = *until, .most = most};
}

ExitCode print_repeats(const Globals& globals, const FleetRepeatPlan& plan) {
  warn(plan.sweep.warnings);
  Store store = globals.open_store();
  CampaignDisplay display(globals.quiet);
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  const FleetRepeatResult result = run_repeats(plan, {store, executor, interrupt, display});
  print(globals, repeat_tables(result.set.id, result.groups, result.summary, plan.request.rule));
  if (result.interrupted) return tell_interrupted(plan.request.sweep.again);
  return result.any_failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace lapcast
