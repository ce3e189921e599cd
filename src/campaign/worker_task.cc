#include "campaign/worker_task.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "campaign/worker_run.h"
#include "posix/files.h"
#include "remote/agent_protocol.h"
#include "remote/nodes_run.h"
#include "remote/run_at_place.h"
#include "run/json_texts.h"

namespace lapcast {
namespace {

TakeText writer_to(int fd) {
  return [fd](std::string_view piece) { write_all(fd, piece); };
}

/// Waits until the coordinator says that it has stored the run. Returns false if it ends first.
bool wait_until_stored(int orders_fd) {
  LineBuffer lines;
  char bytes[1024];
  ssize_t got = 0;
  while ((got = read(orders_fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) lines.append({bytes, static_cast<std::size_t>(got)});
    while (const auto line = lines.next())
      if (*line == kRunIsStored) return true;
  }
  return false;
}

/// Runs the program on this machine. A candidate of a set has {node} and the like filled; what was
/// typed for a single probe stays as it is.
void work_here(const WorkerTask& task, Interrupt& interrupt, const ProbeListener& tell,
               const TakeText& send) {
  ProbeRequest request = task.request;
  if (!request.context.sweep.empty()) request.context = on_only_node(std::move(request.context));
  const auto as_asked = [&](Run run) {
    run.context.settings = task.request.context.settings;
    return run;
  };
  const auto tell_so_far = [&](const Run& run) { write_run_so_far(as_asked(run), send); };
  write_result(as_asked(run_here(request, interrupt, tell, tell_so_far, task.power_socket)), send);
}

/// Follows a remote run. Returns whether nothing is left on its machine.
bool work_remotely(const WorkerTask& task, const Interrupt& interrupt, const ProbeListener& tell,
                   const TakeText& send) {
  const ProbeRequest& request = task.request;
  const auto is_gone = [&] { return getppid() != task.coordinator; };
  const auto remote = remote_run(request, interrupt);
  const auto looked_after = follow_remote_run(
      *remote, request, interrupt, tell, is_gone,
      {.so_far = [&](const Run& so_far) { write_run_so_far(so_far, send); },
       .silence = [&](Seconds time) { send(to_line(message::OutOfReach{time})); },
       .came = [&](std::int64_t bytes) { send(to_line(message::Fetched{bytes})); }});
  if (!looked_after) return false;
  write_result(looked_after->run, send);
  if (!wait_until_stored(request.orders_fd)) return false;
  const bool is_left = request.keep_run_folder || request.save_every;  // or vanishes by itself
  return !looked_after->begun || is_left || remote->remove().has_value();
}

}  // namespace

int do_worker_task(WorkerTask task, Interrupt& interrupt) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTTOU, SIG_IGN);  // a view may write to the terminal from this process group
  ProbeRequest& request = task.request;
  request.orders_fd = task.orders_fd;
  const TakeText send = writer_to(task.result_fd);
  const auto tell = [&](const ProbeProgress& progress) { send(progress_line(progress)); };
  bool nothing_left = true;
  try {
    if (task.only_removes)
      nothing_left = end_and_remove(*remote_run(request, interrupt)).has_value();
    else if (is_this_machine(request.place_setup.place))
      work_here(task, interrupt, tell, send);
    else
      nothing_left = work_remotely(task, interrupt, tell, send);
  } catch (const std::exception& error) {
    write_result(run_not_started(request.context, error.what()), send);
    nothing_left = false;
  }
  return nothing_left ? 0 : 1;
}

}  // namespace lapcast
