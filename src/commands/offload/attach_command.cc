#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/watch_view.h"
#include "commands/offload/job_display.h"
#include "commands/offload/offload.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr const char* kAttachFooter = R"(
Examples:
  lapcast attach last
  lapcast attach 3fb0

A live line as in `lapcast watch`, until the training ends; Ctrl-C leaves it alone. The exit code is
that of `lapcast watch`.)";

struct AttachArguments {
  std::string id;
};

ExitCode attach(const Globals& globals, const AttachArguments& options) {
  const OffloadedJob job = offloaded_of(globals.open_existing_store(), options.id);
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
  if (job.pending_run.purpose == kSession)
    say("{}; the command that began its training goes on",
        printable(watch_words(*state.run), 1200));
  else
    say("{}; lapcast fetch {} brings its results", printable(watch_words(*state.run), 1200),
        job.pending_run.id);
  return exit_code_of(*state.run);
}

}  // namespace

static void add_attach(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "attach", "watch an offloaded training; Ctrl-C detaches", kAttachFooter, attach);
  add_options(command, {{"ID", &options.id, kJobIdHelp, kRequired}});
}

extern const NamedCommand kAttachCommand{"attach", add_attach};

}  // namespace lapcast
