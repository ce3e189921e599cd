#include "commands/probe/tune_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "campaign/rent_plan.h"
#include "campaign/rental_bill.h"
#include "campaign/tune.h"
#include "campaign/tune_settings.h"
#include "campaign/tuned_environment.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/page_file.h"
#include "cli/race_options.h"
#include "commands/probe/tune_report.h"
#include "core/units.h"
#include "fleet/worker_gpus.h"
#include "lease/lease_clock.h"
#include "machine/proc_text.h"
#include "query/typed_command.h"
#include "remote/ssh.h"
#include "report/rental_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kKeeping = "keeping";  // stands for all settings that do not change results

/// Returns the names of settings in the list of --tune, each once.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string_view word : split(list, ',')) {
    const bool is_all = word == "all";
    if (is_all || word == kKeeping)
      for (const std::string& name : kept_result_settings()) add(name);
    if (is_all)
      for (const std::string& name : changed_result_settings()) add(name);
    if (!is_all && word != kKeeping) add(std::string(word));
  }
  return names;
}

bool is_python(const std::vector<std::string>& program) {
  return std::filesystem::path(program.front()).filename().string().starts_with("python");
}

/// Returns what decides which settings can be tried on a machine. The environment of a login on
/// another machine is not known: only that of the fleet file is.
TunedProgram tuned_program(const ProbeRequest& probe, const MachineDescription& machine) {
  const RunContext& context = probe.context;
  return {.machine = machine,
          .type = context.machine_type,
          .has_hook = probe.hook && !probe.lap_source && is_python(context.program),
          .variable = [own = context.machine_type.environment,
                       is_here = is_this_machine(probe.place_setup.place)](
                          const std::string& name) -> std::optional<std::string> {
            if (const auto set = own.find(name); set != own.end()) return set->second;
            const char* value = is_here ? std::getenv(name.c_str()) : nullptr;
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          }};
}

/// Returns the settings that a machine offers; there may be none.
std::vector<TuneSetting> offered_settings(const TuneOptions& options, const ProbeRequest& probe,
                                          const MachineDescription& machine) {
  std::vector<TuneSetting> settings;
  if (!options.tune.empty())
    settings = tune_settings(names_in(options.tune), tuned_program(probe, machine));
  for (const std::string& text : options.tried)
    for (TuneSetting& setting : tried_variable(text)) settings.push_back(std::move(setting));
  return settings;
}

std::vector<TuneSetting> settings_of(const TuneOptions& options, const ProbeRequest& probe,
                                     const MachineDescription& machine) {
  std::vector<TuneSetting> settings = offered_settings(options, probe, machine);
  if (settings.empty())
    throw Error(ExitCode::usage,
                fmt::format("--tune: {} and this program offer none of these settings",
                            options.to.empty() ? "this machine" : printable(options.machine())));
  return settings;
}

TuneRequest request_of(const TuneOptions& options, const ProbeRequest& probe) {
  TuneRequest request{.probe = probe};
  request.budget = options.search_budget;
  request.repeats = options.repeats;
  request.again = options.again;
  request.keep = options.keep;
  if (is_this_machine(probe.place_setup.place)) {
    request.settings = settings_of(options, probe, probe.context.machine);
    return request;
  }
  offered_settings(options, probe, {});  // refuses unknown names before anything runs
  request.settings_of = [options, probe](const MachineDescription& machine) {
    return settings_of(options, probe, machine);
  };
  request.asked = fmt::format("{} {}", options.tune, fmt::join(options.tried, " "));
  request.probe.context.machine = {};  // until it has described itself
  return request;
}

/// Writes the environment to the file, or says why not.
void write_environment(const TuneOptions& options, const TuneResult& result,
                       const std::filesystem::path& file, const RunContext& context) {
  if (!result.verdict.is_sure()) {
    say("{} is not written: no setting is surely faster", printable(options.env_file));
    return;
  }
  write_output(file, environment_file(result, context.lapcast_version, options.machine()));
  say("{} is written; use it in a shell: . {} && {}", printable(options.env_file),
      shell_quote(printable(file.string())), typed_command("", masked(context)).substr(1));
}

}  // namespace

void TuneOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--tune SETTINGS", &tune,
        "search the fastest environment: threads, malloc, wait, isa, workers, and what "
        "changes results: precision, layout, compile, all [what keeps the results]"},
       {"--try NAME=V,V", &tried,
        "search over a variable of the program's environment, too: OMP_PROC_BIND=close"},
       {"--env-file FILE", &env_file,
        "write the environment that was found to be faster, for a shell to read"},
       {"--search-budget TIME|MONEY", parsed(search_budget, parse_search_budget),
        "end the search once its runs took this much together: 10m, 2.50USD"},
       {"--repeats N", &repeats,
        "runs of the default and of what was found, in turn with each other", up_to(1000)},
       {"--again", &again, "measure all anew, even if all is measured"},
       {"--keep", &keep, "go on with what was measured, even though the program's files changed",
        excludes("--again")}},
      "Tune the program's environment");
  app.get_option("--tune")->expected(0, 1)->default_str(kKeeping);
  add_options(app, {{"--to NAME FLEET.toml", &to, "with --tune: on that machine of a fleet file"}},
              "Tune the program's environment");
  rent.add_to(app);
}

ExitCode tune(const Globals& globals, const TuneOptions& options, ProbeRequest probe,
              const FleetMachine* named) {
  if (named != nullptr) probe.place_setup = place_setup_for(*named, probe.context.settings);
  const TuneRequest request = request_of(options, probe);
  std::filesystem::path file;
  if (!options.env_file.empty()) file = checked_output(options.env_file, Links::none);
  CampaignDisplay display(globals.quiet);
  RentPlan plan;
  if (named != nullptr) plan = read_rent_plan({{*named}, {}}, {}, globals.own_prices);
  const auto supply =
      supply_of(plan, options.rent, options.search_budget, true, options.fleet_file(), display);
  Store store = globals.open_store();
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  const TuneResult result = run_tune(request, {.store = store,
                                               .executor = executor,
                                               .interrupt = interrupt,
                                               .listener = display,
                                               .supply = supply.get()});
  std::vector<Table> tables = tune_tables(
      {result.rows, result.changing, result.verdict, result.default_time, result.assumed_steps,
       result.spent, result.budget_spent, result.gpu_busy, result.gpu_note, options.machine()});
  if (supply)
    tables.push_back(rental_table(rental_bill(supply->leases(), result.runs, lease_now_ns())));
  if (globals.format == "table" && result.verdict.is_sure() && options.env_file.empty())
    tables.push_back({.before = {"next: the same command with --env-file tuned.env writes the "
                                 "environment; nothing is measured again"}});
  print(globals, tables);
  if (result.interrupted) return tell_interrupted(options.again);
  if (!options.env_file.empty()) write_environment(options, result, file, probe.context);
  return result.any_failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace lapcast
