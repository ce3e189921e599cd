#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/watch_view.h"
#include "commands/offload/job_display.h"
#include "commands/offload/offload.h"
#include "core/units.h"
#include "remote/host.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

constexpr const char* kFetchFooter = R"(
Examples:
  lapcast fetch last
  lapcast fetch 3fb0 --into results

Brings what the program wrote into its run folder (results, checkpoints). When it has ended its run
goes into the store too, with all its laps, and its folder on the machine is removed, unless --keep.
While it goes on only what it has written by now is brought.)";

constexpr const char* kCancelFooter = R"(
Examples:
  lapcast cancel 3fb0
  lapcast cancel --forget 3fb0                 also when its machine is gone

The program gets TERM, and KILL after its grace time; what it wrote can be fetched. With --forget its
folder on the machine is removed and its laps, as far as they can be had, are stored.)";

struct JobArguments {
  std::string id;
  std::string into;     // for fetch
  bool keep = false;    // for fetch
  bool forget = false;  // for cancel
};

/// Finds an offloaded training on its machine.
struct FoundJob {
  /// Throws Error if the user interrupted the search.
  FoundJob(const Globals& globals, const std::string& id)
      : store(globals.open_store()),
        job(offloaded_of(store, id)),
        run(job, interrupt),
        answers(run.find()) {
    if (interrupt.count() > 0)
      throw Error(ExitCode::interrupted, "interrupted; nothing was changed");
  }

  Store store;
  OffloadedJob job;
  Interrupt interrupt;
  OffloadedRun run;
  bool answers;
};

/// Warns about files that were not copied, with the reason.
void warn_of(const FilesNotCopied& left) {
  if (left.count == 0) return;
  const auto named = static_cast<std::int64_t>(left.names.size());
  say("warning: {} left on the machine (links that lead out of the folder, pipes, sockets, "
      "devices): {}{}",
      left.count, fmt::join(left.names, ", "), left.count > named ? ", ..." : "");
}

void warn_not_removed(const std::optional<Reason>& why) {
  if (why) say("warning: {}; its folder on the machine is left", printable(why->text, 1000));
}

ExitCode fetch(const Globals& globals, const JobArguments& options) {
  FoundJob found(globals, options.id);
  if (found.job.pending_run.purpose == kSession)
    throw Error(ExitCode::usage,
                fmt::format("{} is a session of a training: the `lapcast offload --sessions` that "
                            "began the training brings its files",
                            found.job.pending_run.id));
  if (!found.answers) refuse(found.job, found.run.state());
  const std::filesystem::path folder =
      options.into.empty() ? "lapcast-" + found.job.pending_run.id : options.into;
  const FetchedTraining fetched = fetch_training(found.store, found.run, folder, options.keep);
  warn_of(fetched.left);
  warn_not_removed(fetched.not_removed);
  if (!fetched.run) {
    say("the training goes on; what it has written by now is in {}", printable(folder.native()));
    return ExitCode::ok;
  }
  say("{}; its files are in {}", printable(watch_summary(*fetched.run), 1200),
      printable(folder.native()));
  return exit_code_of(*fetched.run);
}

/// Warns that a forgotten training continues, and says how to end it on its machine.
void warn_that_it_goes_on(OffloadedRun& run) {
  const ProbeRequest& request = run.job().request;
  const std::string host = host_of(request.place_setup.place)->name();
  say("warning: {} cannot be asked: the training may still run on it ({}), and cost; once it "
      "answers, end it with: ssh {} {}",
      host, printable(request.context.machine_type.name), host,
      shell_quote(run.remote().end_command()));
}

/// Says how what a cancelled training wrote comes home.
std::string next_step(const OffloadedJob& job) {
  return job.pending_run.purpose == kSession
             ? "; the command that began its training brings what it wrote"
             : fmt::format("; lapcast fetch {} brings what it wrote", job.pending_run.id);
}

ExitCode cancel(const Globals& globals, const JobArguments& options) {
  FoundJob found(globals, options.id);
  OffloadedRun& run = found.run;
  const OffloadState& state = run.state();
  if (!found.answers && !options.forget) refuse(found.job, state);
  if (found.answers) {
    JobDisplay display(found.job, globals.quiet);
    stop_training(run, found.interrupt, display.listener());
    display.end();
  }
  if (options.forget) {
    warn_not_removed(forget_training(found.store, run, found.answers));
    if (state.out_of_reach) warn_that_it_goes_on(run);
  } else if (state.lost) {
    refuse(found.job, state);
  }
  say("{}{}", printable(state_text(state), 1000),
      options.forget ? "; forgotten" : next_step(found.job));
  return ExitCode::ok;
}

}  // namespace

static void add_fetch(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "fetch", "bring results and checkpoints of an offloaded training back",
               kFetchFooter, fetch);
  add_options(command, {{"ID", &options.id, kJobIdHelp, kRequired},
                        {"--into DIR", &options.into, "folder for its files [lapcast-ID]"},
                        {"--keep", &options.keep, "leave its folder on the machine"}});
}

extern const NamedCommand kFetchCommand{"fetch", add_fetch};

static void add_cancel(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "cancel", "end an offloaded training", kCancelFooter, cancel);
  add_options(command,
              {{"ID", &options.id, kJobIdHelp, kRequired},
               {"--forget", &options.forget, "and remove all that is left of it on its machine"}});
}

extern const NamedCommand kCancelCommand{"cancel", add_cancel};

}  // namespace lapcast
