#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "probe/interrupt.h"
#include "probe/request.h"
#include "remote/agent_protocol.h"
#include "run/run.h"

namespace lapcast {

/// Runs many probes at a time, on this machine and on remote ones.
class Executor {
 public:
  using Ticket = std::size_t;
  struct Event {
    Ticket ticket = 0;
    std::variant<ProbeProgress, message::OutOfReach, message::Fetched, RunSoFar, Run>
        what;                  // a Run is a ticket's last event
    std::string cut_off = {};  // why the worker process of a Run died; empty = it did not
  };

  virtual ~Executor() = default;
  /// Starts a probe in addition to those that already run. Later failures become the Run's outcome.
  /// A remote probe that was started before under the same run id is followed instead.
  virtual Ticket start(const ProbeRequest& request) = 0;
  /// Waits for events, at most for the given time, and returns them.
  virtual std::vector<Event> wait(std::chrono::milliseconds at_most) = 0;
  /// Sends a probe an order, a line of probe/orders.h. Does nothing if the probe has ended.
  virtual void order(Ticket ticket, const std::string& line) = 0;
  /// Says that the run of the ticket is stored, so that what it left on its machine can be removed.
  virtual void stored(Ticket) {}
  /// Ends the run of a request on its machine, if it still runs, and removes what it left there.
  virtual void remove(const ProbeRequest&) {}
  /// Returns the ids of runs of which nothing is left on their machines, each once. With `all`,
  /// waits for the removals under way, unless the user interrupts the wait.
  virtual std::vector<std::string> take_removed([[maybe_unused]] bool all) { return {}; }
  /// Says that this process has started other children, which are not to be ended with a worker's.
  virtual void spare_other_children() {}
  /// Asks all probes to end gracefully; their Runs (interrupted) still come as events.
  virtual void stop_all() = 0;
};

/// Gives each probe a worker process, which supervises a program on this machine or follows a run
/// on a remote one. When a worker dies, its Run says so and has the laps and the time until then; a
/// worker that follows a remote run is first replaced, up to a few times. When this process dies,
/// workers end their programs on this machine and leave remote runs alone: they can be followed
/// later.
class WorkerExecutor : public Executor {
 public:
  explicit WorkerExecutor(Interrupt& interrupt);
  ~WorkerExecutor() override;
  Ticket start(const ProbeRequest& request) override;
  std::vector<Event> wait(std::chrono::milliseconds at_most) override;
  void order(Ticket ticket, const std::string& line) override;
  void stored(Ticket ticket) override;
  void remove(const ProbeRequest& request) override;
  std::vector<std::string> take_removed(bool all) override;
  void spare_other_children() override { children_are_ours_ = false; }
  void stop_all() override;

 private:
  struct Worker;
  std::unique_ptr<Worker> spawn(const ProbeRequest& request, bool only_removes);
  bool take_end(Ticket ticket);
  Run run_of_dead(const Worker& dead, const std::string& why);
  Interrupt& interrupt_;
  bool children_are_ours_;  // all children of this process come from workers on this machine
  std::map<Ticket, std::unique_ptr<Worker>> workers_;
  Ticket next_ticket_ = 1;
  std::vector<std::string> removed_;  // ids that take_removed() returns next
};

}  // namespace lapcast
