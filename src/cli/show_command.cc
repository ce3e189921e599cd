#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "app/forecast_run.h"
#include "cli/commands.h"
#include "cli/probe_options.h"
#include "report/run_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kShowFooter = R"(
Examples:
  lapcast show last
  lapcast show 3f0c --laps --format csv      the first digits of a run's id are enough
  lapcast show last --output                 what the program printed
  lapcast show last --epochs 90 --methods    forecast another plan, by the papers' methods too)";

struct ShowArguments {
  std::string run = "last";
  ProbeOptions plan;
  RunReportOptions report;
  bool alone = false;
};

}  // namespace

void add_show(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand("show", "show one run: laps, forecast, output");
  command->add_option("RUN", options->run, "id, its first digits, or 'last'")
      ->capture_default_str();
  options->plan.add_plan_to(*command);
  command->add_flag("--laps", options->report.raw_laps, "every raw lap");
  command->add_flag("--output", options->report.output, "what the program printed");
  command->add_flag("--methods", options->report.methods, "the papers' forecasts beside ours");
  add_alone_to(*command, options->alone);
  command->footer(kShowFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] {
                const Store store = globals.open_existing_store();
                const Run run = store.get(options->run);
                RunForecaster forecaster = options->alone ? RunForecaster() : RunForecaster(store);
                const Assessment assessment = forecaster.forecast(run, options->plan.plan);
                print(globals, run_tables(masked(run), assessment, options->report));
                return ExitCode::ok;
              },
              false};
  });
}

}  // namespace lapcast
