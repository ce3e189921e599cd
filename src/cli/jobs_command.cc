#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/jobs_table.h"
#include "cli/offloaded.h"
#include "cli/progress_line.h"
#include "cli/watch_line.h"
#include "core/units.h"
#include "posix/private_files.h"
#include "remote/agent_command.h"
#include "remote/host.h"
#include "remote/shell_quote.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

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

constexpr const char* kFetchFooter = R"(
Examples:
  lapcast fetch last
  lapcast fetch 3fb0 --into results

Brings what the program wrote into its run folder (results, checkpoints). When it has ended its run
goes into the store too, with all its laps, and its folder on the machine is removed, unless --keep.
While it goes on only what is there by now is brought.)";

constexpr const char* kCancelFooter = R"(
Examples:
  lapcast cancel 3fb0
  lapcast cancel --forget 3fb0                 also where its machine is gone

The program gets TERM, and KILL after its grace time; what it wrote can be fetched. With --forget its
folder there is removed and its laps, as far as they can be had, are stored.)";

struct JobsArguments {
  std::string id;
  std::string into;
  bool keep = false;
  bool forget = false;
};

// What is said
// -------------------------------------------------------------------------------------

std::string state_text(const OffloadState& state) {
  if (state.run) return describe(state.run->outcome);
  if (state.lost) return "lost: " + state.lost->text;
  if (state.out_of_reach) return "out of reach: " + state.out_of_reach->text;
  if (!state.note.empty()) return state.note;
  if (!state.progress) return "no word yet";
  return state.progress->state.empty() ? "running" : state.progress->state;
}

JobRow row_of(const OffloadedJob& job, const OffloadState& state) {
  JobRow row;
  row.context = job.request.context;
  row.created_at = job.pending_run.created_at;
  row.state = state_text(state);
  row.progress = state.progress;
  row.run = state.run;
  return row;
}

/// Says why nothing can be done with it.
[[noreturn]] void refuse(const OffloadedJob& job, const OffloadState& state) {
  if (state.lost)
    throw Error(ExitCode::program_failed,
                fmt::format("the training {} is lost: {}; lapcast cancel --forget {} forgets it",
                            job.pending_run.id, state.lost->text, job.pending_run.id));
  throw Error(ExitCode::system_failed,
              state.out_of_reach ? state.out_of_reach->text : "no word came from the training");
}

// Commands
// -----------------------------------------------------------------------------------------

ExitCode list_jobs(const Globals& globals) {
  const Store store = globals.open_existing_store();
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  std::vector<JobRow> rows;
  std::map<std::string, OffloadState> out_of_reach;  // by host: none is waited for twice
  for (const OffloadedJob& job : offloaded_in(store)) {
    if (interrupt.count() > 0) break;
    line.show(fmt::format("asking for {} on {}", job.pending_run.id,
                          printable(job.request.context.machine_type.name)));
    const std::string host = host_of(job.request.site.place)->name();
    if (const auto known = out_of_reach.find(host); known != out_of_reach.end()) {
      rows.push_back(row_of(job, known->second));
      continue;
    }
    OffloadedRun run(job, interrupt);
    if (run.find()) run.catch_up();
    if (run.state().out_of_reach) out_of_reach[host] = run.state();
    rows.push_back(row_of(job, run.state()));
  }
  line.clear();
  print(globals, {jobs_table(rows)});
  return interrupt.count() > 0 ? ExitCode::interrupted : ExitCode::ok;
}

/// Shows it until it is over or the user has seen enough.
void follow_to_the_end(OffloadedRun& run, const OffloadedJob& job, bool quiet,
                       const Interrupt& interrupt) {
  ProgressLine line(quiet);
  PlainLines plain;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  while (!run.is_over() && interrupt.count() == 0) {
    const OffloadState& state = run.follow(1000ms);
    const std::string text = state.progress && state.note.empty()
                                 ? watch_line(*state.progress, job.request.context.price)
                                 : state_text(state);
    if (terminal)
      line.show(printable(text, terminal_width()));
    else if (state.progress && plain.is_due(state.progress->elapsed) && !quiet)
      say("{}", printable(text, 1000));
  }
}

ExitCode attach(const Globals& globals, const JobsArguments& options) {
  const OffloadedJob job = offloaded_of(globals.open_existing_store(), options.id);
  Interrupt interrupt;
  OffloadedRun run(job, interrupt);
  if (!run.find() && interrupt.count() == 0) refuse(job, run.state());
  follow_to_the_end(run, job, globals.quiet, interrupt);
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

/// Returns the folder for a job's results, which is created, with those above it, when it is
/// lacking.
std::filesystem::path folder_for(const OffloadedJob& job, const JobsArguments& options) {
  const std::filesystem::path folder =
      options.into.empty() ? "lapcast-" + job.pending_run.id : options.into;
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return folder;
  if (const auto made = make_private_folders(folder); !made)
    throw Error(ExitCode::system_failed, made.error().text + "; choose another with --into");
  return folder;
}

/// Says what did not come home, and why.
void warn_of(const FilesNotCopied& left) {
  if (left.count == 0) return;
  std::string names;
  for (const std::string& name : left.names) names += (names.empty() ? "" : ", ") + name;
  say("warning: {} left there (links that lead out of the folder, pipes, sockets, "
      "devices): {}{}",
      left.count, names, left.count > static_cast<std::int64_t>(left.names.size()) ? ", ..." : "");
}

/// Stores a training that has ended, and removes what is left of it on its machine.
void conclude(Store& store, OffloadedRun& run, const Run& result, bool keep) {
  store.add(result, true);
  const Result<void> removed = keep ? Result<void>() : run.remote().remove();
  // Else the errand stays, and the next sweep removes the folder.
  if (removed || result.context.place.empty()) store.remove_pending_run(result.context.id);
  if (!removed) say("warning: {}; its folder there is left", printable(removed.error().text, 1000));
}

/// A training that is on its way, looked for on its machine.
struct LookedFor {
  /// Error when the user ended the search.
  LookedFor(const Globals& globals, const std::string& id)
      : store(globals.open_store()),
        job(offloaded_of(store, id)),
        run(job, interrupt),
        there(run.find()) {
    if (interrupt.count() > 0)
      throw Error(ExitCode::interrupted, "interrupted; nothing was changed");
  }

  Store store;
  OffloadedJob job;
  Interrupt interrupt;
  OffloadedRun run;
  bool there;  // it can be asked
};

ExitCode fetch(const Globals& globals, const JobsArguments& options) {
  LookedFor found(globals, options.id);
  auto& [store, job, interrupt, run, there] = found;
  if (!there) refuse(job, run.state());
  const OffloadState& state = run.catch_up();
  if (state.lost) refuse(job, state);
  const std::filesystem::path folder = folder_for(job, options);
  const auto fetched = run.remote().fetch(folder);
  const bool started =
      !state.run || !std::holds_alternative<outcome::NotStarted>(state.run->outcome);
  if (!fetched && started) throw Error(ExitCode::system_failed, fetched.error().text);
  if (fetched) warn_of(*fetched);
  if (!state.run) {
    say("the training goes on; what it has written by now is in {}", printable(folder.native()));
    return ExitCode::ok;
  }
  conclude(store, run, *state.run, options.keep);
  say("{}; its files are in {}", printable(watch_summary(*state.run), 1200),
      printable(folder.native()));
  return exit_code_of(*state.run);
}

/// The laps of a training that cannot be asked any more are lost; its row says why.
Run given_up(const OffloadedJob& job, const std::string& why) {
  Run run;
  run.context = job.request.context;
  run.outcome = outcome::NotStarted{why};
  return run;
}

/// Says that a training that was forgotten goes on, and what ends it on its machine.
void warn_that_it_goes_on(const OffloadedJob& job) {
  const PlaceSetup& site = job.request.site;
  const std::string folder = shell_quote(folder_on(site) + "/runs/" + job.pending_run.id);
  const bool slurm = std::holds_alternative<SlurmPlace>(site.place);
  const std::string end = slurm ? fmt::format("scancel $(cat {}/job)", folder)
                                : fmt::format("echo stop >>{}/orders", folder);
  const std::string host = host_of(site.place)->name();
  say("warning: {} cannot be asked: the training may still run there ({}), and "
      "cost; once it answers, end it with: ssh {} {}",
      host, printable(job.request.context.machine_type.name), host, shell_quote(end));
}

ExitCode cancel(const Globals& globals, const JobsArguments& options) {
  LookedFor found(globals, options.id);
  auto& [store, job, interrupt, run, there] = found;
  if (!there && !options.forget) refuse(job, run.state());
  if (there) {
    run.catch_up();
    if (!run.is_over())
      if (const auto told = run.remote().order("stop"); !told)
        throw Error(ExitCode::system_failed, told.error().text);
    follow_to_the_end(run, job, globals.quiet, interrupt);
  }
  const OffloadState& state = run.state();
  if (there && !run.is_over())
    throw Error(ExitCode::interrupted, "it was told to end, and has not yet; see lapcast jobs");
  if (options.forget) {
    const Run result = state.run ? *state.run : given_up(job, "forgotten: " + state_text(state));
    conclude(store, run, result, !there);
    if (state.out_of_reach) warn_that_it_goes_on(job);
  } else if (state.lost) {
    refuse(job, state);
  }
  say("{}{}", printable(state_text(state), 1000),
      options.forget ? "; forgotten"
                     : fmt::format("; lapcast fetch {} brings what it wrote", job.pending_run.id));
  return ExitCode::ok;
}

CLI::App* add_job_command(CLI::App& app, const char* name, const char* help, const char* footer,
                          const std::shared_ptr<JobsArguments>& options) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("ID", options->id, "of the training, its beginning, or \"last\"")->required();
  command->footer(footer);
  return command;
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
  auto options = std::make_shared<JobsArguments>();
  CLI::App* command = add_job_command(app, "attach", "watch an offloaded training; Ctrl-C detaches",
                                      kAttachFooter, options);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return attach(globals, *options); }, false};
  });
}

void add_fetch(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<JobsArguments>();
  CLI::App* command =
      add_job_command(app, "fetch", "bring results and checkpoints of an offloaded training back",
                      kFetchFooter, options);
  command->add_option("--into", options->into, "folder for its files [lapcast-ID]")
      ->type_name("DIR");
  command->add_flag("--keep", options->keep, "leave its folder on the machine");
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return fetch(globals, *options); }, false};
  });
}

void add_cancel(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<JobsArguments>();
  CLI::App* command =
      add_job_command(app, "cancel", "end an offloaded training", kCancelFooter, options);
  command->add_flag("--forget", options->forget, "and remove all that is left of it there");
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return cancel(globals, *options); }, false};
  });
}

}  // namespace lapcast
