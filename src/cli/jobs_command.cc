#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/job_display.h"
#include "cli/view/jobs_table.h"
#include "cli/view/watch_line.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr const char* kJobsFooter = R"(
Examples:
  lapcast jobs
  lapcast jobs --json

Asks every machine that a training was sent to. Where a machine is out of reach its row says so; the
training there goes on.)";

constexpr const char* kAttachFooter = R"(
Examples:
  lapcast attach last
  lapcast attach 3fb0

A live line as in `lapcast watch`, until the training ends; Ctrl-C leaves it alone. The exit code is
that of `lapcast watch`.)";

ExitCode list_jobs(const Globals& globals) {
  const Store store = globals.open_existing_store();
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  const auto asked = ask_all(store, interrupt, [&](const OffloadedJob& job) {
    line.show(fmt::format("asking for {} on {}", job.pending_run.id,
                          printable(job.request.context.machine_type.name)));
  });
  line.clear();
  print(globals, {jobs_table(asked)});
  return interrupt.count() > 0 ? ExitCode::interrupted : ExitCode::ok;
}

ExitCode attach(const Globals& globals, const std::string& id) {
  const OffloadedJob job = offloaded_of(globals.open_existing_store(), id);
  Interrupt interrupt;
  OffloadedRun run(job, interrupt);
  if (!run.find() && interrupt.count() == 0) refuse(job, run.state());
  JobDisplay display(job, globals.quiet);
  follow_to_the_end(run, interrupt, display.listener());
  display.end();
  const OffloadState& state = run.state();
  if (state.lost) refuse(job, state);
  if (!state.run) {
    say("detached; the training goes on: lapcast attach {}", job.pending_run.id);
    return ExitCode::interrupted;
  }
  say("{}; lapcast fetch {} brings its results", printable(watch_words(*state.run), 1200),
      job.pending_run.id);
  return exit_code_of(*state.run);
}

}  // namespace

void add_jobs(CLI::App& app, Globals& globals, Action& action) {
  CLI::App* command =
      app.add_subcommand("jobs", "the trainings that were offloaded: state, time, money");
  command->footer(kJobsFooter);
  command->callback([&globals, &action] {
    action = {[&globals] { return list_jobs(globals); }, false};
  });
}

void add_attach(CLI::App& app, Globals& globals, Action& action) {
  auto id = std::make_shared<std::string>();
  CLI::App* command = add_job_command(app, "attach", "watch an offloaded training; Ctrl-C detaches",
                                      kAttachFooter, *id);
  command->callback([&globals, &action, id] {
    action = {[&globals, id] { return attach(globals, *id); }, false};
  });
}

}  // namespace lapcast
