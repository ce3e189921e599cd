#pragma once

#include <functional>

#include "cli/globals.h"

namespace CLI {
class App;
}

namespace lapcast {

/// What a chosen command does; set by CLI11 while it parses, run afterwards.
struct Action {
  std::function<ExitCode()> run;
  bool takes_program = false;  // a program may stand behind "--"
};

// One per command: adds the subcommand to the app; when it is chosen, sets the action.
void add_probe(CLI::App& app, Globals& globals, Action& action);
void add_sweep(CLI::App& app, Globals& globals, Action& action);
void add_rank(CLI::App& app, Globals& globals, Action& action);
void add_watch(CLI::App& app, Globals& globals, Action& action);
void add_verify(CLI::App& app, Globals& globals, Action& action);
void add_suite(CLI::App& app, Globals& globals, Action& action);
void add_stopwatch(CLI::App& app, Globals& globals, Action& action);
void add_offload(CLI::App& app, Globals& globals, Action& action);
void add_jobs(CLI::App& app, Globals& globals, Action& action);
void add_attach(CLI::App& app, Globals& globals, Action& action);
void add_agent(CLI::App& app, Globals& globals, Action& action);  // hidden
void add_fetch(CLI::App& app, Globals& globals, Action& action);
void add_cancel(CLI::App& app, Globals& globals, Action& action);
void add_soak(CLI::App& app, Globals& globals, Action& action);
void add_compare(CLI::App& app, Globals& globals, Action& action);
void add_runs(CLI::App& app, Globals& globals, Action& action);
void add_scrub(CLI::App& runs, Globals& globals, Action& action);  // below runs
void add_show(CLI::App& app, Globals& globals, Action& action);
void add_forecast(CLI::App& app, Globals& globals, Action& action);
void add_epochs(CLI::App& app, Globals& globals, Action& action);
void add_export(CLI::App& app, Globals& globals, Action& action);
void add_import(CLI::App& app, Globals& globals, Action& action);
void add_machine(CLI::App& app, Globals& globals, Action& action);
void add_fleet(CLI::App& app, Globals& globals, Action& action);
void add_catalog(CLI::App& app, Globals& globals, Action& action);
void add_lap(CLI::App& app, Globals& globals, Action& action);
void add_completion(CLI::App& app, Globals& globals, Action& action);
void add_man(CLI::App& app, Globals& globals, Action& action);

}  // namespace lapcast
