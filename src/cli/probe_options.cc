#include "cli/probe_options.h"
#include "cli/console.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/units.h"
#include "machine/discover.h"
#include "probe/run_folder.h"
#include "run/text_bytes.h"

namespace lapcast {

void ProbeOptions::add_plan_to(CLI::App& app) {
  const auto number = CLI::Range(std::int64_t{1}, std::int64_t{1} << 60);
  auto* epochs =
      app.add_option("--epochs", plan.epochs, "epochs to forecast [what the program reports]")
          ->check(number)
          ->type_name("N");
  app.add_option("--steps", plan.steps, "iterations to forecast, instead of epochs")
      ->check(number)
      ->type_name("N")
      ->excludes(epochs);
  add_samples_to(app, plan);
}

void ProbeOptions::add_limits_to(CLI::App& app) {
  app.add_option("--precision", precision,
                 "stop once the steady lap is known this well (95 % interval, half its width)")
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--max-laps", max_laps, "stop after so many laps")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60))
      ->type_name("N");
  app.add_option("--budget", budget, "stop a probe after this time, start-up included")
      ->type_name("TIME")
      ->capture_default_str();
  add_start_to(app);
}

void ProbeOptions::add_start_to(CLI::App& app) {
  add_end_to(app);
  app.add_flag("--no-hook", no_hook, "leave Python programs alone: they report laps themselves");
}

void ProbeOptions::add_end_to(CLI::App& app) {
  app.add_option("--grace", grace, "time between asking a program to end (TERM) and killing it")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--run-parent", run_parent, "where the run folders are made [$TMPDIR or /tmp]")
      ->type_name("DIR");
  app.add_flag("--keep-run-folder", keep_run_folder, "do not remove the run folders afterwards");
}

ProbeLimits ProbeOptions::limits() const {
  ProbeLimits limits;
  limits.precision = parse_share(precision);
  if (limits.precision <= 0)
    throw Error(ExitCode::usage, "--precision must be above 0, such as 2%");
  limits.max_laps = max_laps;
  limits.budget = parse_duration(budget);
  if (limits.budget.count() <= 0)
    throw Error(ExitCode::usage, "--budget must be above 0, such as 60s");
  limits.grace = parse_duration(grace);
  check_run_parent(run_parent);
  return limits;
}

ProbeRequest ProbeOptions::request(RunContext context) const {
  return {std::move(context), limits(), run_parent, keep_run_folder, {}, !no_hook};
}

void add_samples_to(CLI::App& app, RequestedPlan& plan) {
  const auto number = CLI::Range(std::int64_t{1}, std::int64_t{1} << 60);
  app.add_option("--samples", plan.training_samples, "training samples of one epoch")
      ->check(number)
      ->type_name("N");
  app.add_option("--val-samples", plan.validation_samples, "samples of one validation")
      ->check(number)
      ->type_name("N");
  app.add_option("--validate-every", plan.validate_every, "epochs from one validation to the next")
      ->check(number)
      ->type_name("N");
  app.add_option("--validate-from", plan.validate_from,
                 "epoch after which the first validation comes")
      ->check(number)
      ->type_name("N");
}

void add_alone_to(CLI::App& command, bool& alone) {
  command.add_flag("--alone", alone,
                   "from the run's own laps only, not corrected by earlier finished runs");
}

RunContext common_context(const std::vector<std::string>& program, const RequestedPlan& plan) {
  return common_context(program, plan, describe_this_machine());
}

RunContext common_context(const std::vector<std::string>& program, const RequestedPlan& plan,
                          MachineDescription machine) {
  RunContext context;
  context.program = program;
  context.plan = plan;
  context.working_dir = std::filesystem::current_path().string();
  context.lapcast_version = LAPCAST_VERSION;
  context.machine = std::move(machine);
  return context;
}

void tell_trouble(const Run& run) {
  for (const std::string& warning : run.warnings) say("warning: {}", printable(warning, 1000));
  for (const std::string& note : laps_of(run).notes) say("warning: {}", printable(note, 1000));
  if (has_laps(run.outcome) || std::holds_alternative<outcome::Interrupted>(run.outcome)) return;
  const std::string& text = run.standard_error.empty() ? run.standard_output : run.standard_error;
  const std::string lines = last_lines(text, 10);
  if (lines.empty()) return;
  say("the last lines of the program's {}:", run.standard_error.empty() ? "stdout" : "stderr");
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    write_to_stderr("  | " + printable(std::string_view(lines).substr(begin, end - begin), 500) +
                    "\n");
    begin = end + 1;
  }
}

}  // namespace lapcast
