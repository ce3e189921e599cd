#include "fleet/recorder.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/executor.h"
#include "fleet/fleet_file.h"
#include "machine/discover.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"
#include "remote/agent_protocol.h"
#include "remote/record.h"
#include "remote/set_up.h"
#include "remote/slurm_tracker.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr int kSignalsPatienceMs = 300;  // between Slurm's signals to the processes of a job

/// Takes one run from its request to its result.
class Recorder {
 public:
  Recorder(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
           Interrupt& interrupt)
      : folder_(folder),
        request_(request),
        writer_(writer),
        interrupt_(interrupt),
        warnings_(request.warnings) {}

  bool run() {
    tell({Seconds{0}, 0, 0, "starting"});
    RunContext& context = request_.probe.context;
    context.machine = describe_this_machine();
    for (const auto& reason : {lacks_extension(request_.probe.place_setup.needs, context.machine),
                               why_cannot_run(context.machine_type, context.machine)})
      if (reason) return finish(run_not_started(context, reason->text));
    if (auto prepared = prepare(); !prepared) {
      Run run = run_not_started(context, prepared.error().text);
      if (interrupt_.count() > 0) run.outcome = outcome::Interrupted{};
      return finish(std::move(run));
    }
    return finish(run_program());
  }

 private:
  void tell(const ProbeProgress& progress) { writer_.tell(progress_line(progress)); }

  Result<void> prepare() {
    const auto done = set_up(folder_, request_, interrupt_, [&](const std::string& what) {
      tell({Seconds{0}, 0, 0, what});
    });
    if (!done) return tl::unexpected(done.error());
    if (*done) request_.preparation.push_back(**done);
    if (const auto missing = missing_data(folder_, request_)) return tl::unexpected(*missing);
    const std::filesystem::path where = working_dir_of(folder_, request_);
    if (chdir(where.c_str()) == 0) return {};
    return because(fmt::format("cannot enter the program's folder {}: {}",
                               printable(where.string()), std::strerror(errno)));
  }

  Run run_program() {
    ProbeRequest probe = request_.probe;
    probe.run_parent = folder_.root();
    probe.keep_run_folder = true;  // until its result is safe; the record's folder goes as a whole
    if (probe.resume) go_on_from_earlier_attempt(probe);
    remove_stale_run_folders_and_cgroups(probe.run_parent);
    probe.place_setup = {};  // this is the machine of the place
    WorkerExecutor executor(interrupt_);
    ticket_ = executor.start(probe);
    std::optional<Run> result;
    while (!result) {
      for (Executor::Event& event : executor.wait(200ms)) take(event, result);
      obey(executor);
    }
    return std::move(*result);
  }

  /// Goes on after a reboot or a requeued job: in the run folder that was left, from its newest
  /// checkpoint.
  void go_on_from_earlier_attempt(ProbeRequest& probe) {
    const auto earlier = earlier_attempt(folder_.root());
    if (!earlier) return;
    request_.preparation.push_back({"earlier attempt", earlier->time, 0});
    const auto checkpoint = newest_checkpoint(earlier->run_dir, probe.resume->checkpoints);
    probe.inherited_run_dir = folder_.root() / "inherited";
    if (rename(earlier->run_dir.c_str(), probe.inherited_run_dir.c_str()) != 0) {
      warnings_.push_back(
          fmt::format("the run folder of the earlier attempt cannot be moved ({}): "
                      "the program begins anew",
                      std::strerror(errno)));
      return;
    }
    if (!checkpoint) {
      warnings_.push_back("it was cut off before it wrote a checkpoint, and begun anew");
      return;
    }
    for (const std::string& argument : resume_arguments(*probe.resume, *checkpoint))
      probe.context.program.push_back(argument);
    warnings_.push_back(fmt::format("it was cut off, and went on from {}", *checkpoint));
  }

  void take(Executor::Event& event, std::optional<Run>& result) {
    if (const auto* progress = std::get_if<ProbeProgress>(&event.what)) {
      note_start(*progress);
      tell(*progress);
    } else if (const auto* so_far = std::get_if<RunSoFar>(&event.what)) {
      writer_.tell(run_so_far_line(so_far->run));
    } else {
      result = std::move(std::get<Run>(event.what));
    }
  }

  /// Notes when the program was started on this machine's clock, which is needed if all that is
  /// left of the run are its lap logs.
  void note_start(const ProbeProgress& progress) {
    if (start_noted_ || progress.elapsed <= Seconds{0}) return;
    start_noted_ = true;
    const auto elapsed = to_ns(progress.elapsed);
    writer_.tell(fmt::format("B {}\n", monotonic_ns() - elapsed));
  }

  void obey(Executor& executor) {
    ask(executor, interrupt_.count());
    for (const std::string& order : writer_.take_orders()) {
      if (order == "stop")
        ask(executor, 1);
      else if (order == "kill")
        ask(executor, 2);
      else
        executor.order(ticket_, order);
    }
  }

  /// Asks the program to end: once to end in order, twice to end at once. The same order may come
  /// again.
  void ask(Executor& executor, int times) {
    for (; asked_ < times; ++asked_) executor.stop_all();
  }

  bool finish(Run run) {
    run.preparation = request_.preparation;
    run.warnings.insert(run.warnings.end(), warnings_.begin(), warnings_.end());
    const bool kept = writer_.finish(run, [&] {
      if (!request_.probe.keep_run_folder) remove_run_folders();
    });
    if (kept) note_own_end(run);
    return kept;
  }

  /// Notes of a life of a Slurm job that its result stands. Slurm's signals reach the program too,
  /// which may then end as if by itself; but they reach this process at the same time.
  void note_own_end(const Run& run) const {
    if (folder_.root().filename().string().find('.') == std::string::npos) return;
    pollfd signals{interrupt_.fd(), POLLIN, 0};
    if (may_be_ended_by_slurm(run)) poll(&signals, 1, kSignalsPatienceMs);
    if (interrupt_.count() == 0)
      static_cast<void>(write_private_file(folder_.ended_file(), "this result stands\n"));
  }

  void remove_run_folders() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.root(), ignored))
      if (entry.path().filename().string().starts_with("lapcast-run-"))
        std::filesystem::remove_all(entry.path(), ignored);
  }

  const RecordFolder& folder_;
  RemoteRequest request_;
  RecordWriter& writer_;
  Interrupt& interrupt_;
  Executor::Ticket ticket_ = 0;
  std::vector<std::string> warnings_;
  int asked_ = 0;  // how often the program was asked to end
  bool start_noted_ = false;
};

}  // namespace

bool record_run(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
                Interrupt& interrupt) {
  return Recorder(folder, request, writer, interrupt).run();
}

void record_run_detached(const RecordFolder& folder, const RemoteRequest& request,
                         RecordWriter writer) {
  const auto record = [&] {
    try {
      Interrupt interrupt;
      record_run(folder, request, writer, interrupt);
    } catch (const std::exception& error) {
      writer.finish(run_not_started(request.probe.context, error.what()));
    }
    return 0;
  };
  const FileDescriptor output = open_private_log(folder.output_file());
  const int output_fd = output.is_open() ? output.get() : kNullStream;
  const Result<pid_t> recorder = spawn({.streams = {kNullStream, output_fd, output_fd},
                                        .group = ProcessGroup::own_session,
                                        .work = record,
                                        .prepare = [] { signal(SIGHUP, SIG_IGN); }});
  if (!recorder) throw Error(ExitCode::system_failed, recorder.error().text);
}

}  // namespace lapcast
