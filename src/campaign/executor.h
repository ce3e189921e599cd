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

/// Runs many probes at a time, on whatever machines their places are.
class Executor {
 public:
  using Ticket = std::size_t;
  struct Event {
    Ticket ticket = 0;
    std::variant<ProbeProgress, RunSoFar, Run> what;  // a Run is a ticket's last event
    std::string cut_off = {};  // why the worker process of a Run died; empty = it did not
  };

  virtual ~Executor() = default;
  /// Starts a probe beside those that run already. What goes wrong later becomes the Run's outcome.
  /// A remote probe that was started before under the same run id is followed instead.
  virtual Ticket start(const ProbeRequest& request) = 0;
  /// Returns what has happened, after waiting for at most so long for something to happen.
  virtual std::vector<Event> wait(std::chrono::milliseconds at_most) = 0;
  /// Gives a probe an order: a line of probe/orders.h. A probe that has ended does not hear it.
  virtual void order(Ticket ticket, const std::string& line) = 0;
  /// Takes note that the run of the ticket is stored: what is left of it on its machine is removed.
  virtual void stored(Ticket) {}
  /// Ends what may still run of a request on its machine and removes what is left of it.
  virtual void remove(const ProbeRequest&) {}
  /// Returns the ids of runs of which nothing is left on their machines, each once. With `all` it
  /// waits for the removals under way, unless the user interrupts that.
  virtual std::vector<std::string> take_removed([[maybe_unused]] bool all) { return {}; }
  /// Asks all to end in order; their Runs (interrupted) still come as events.
  virtual void stop_all() = 0;
};

/// Gives each probe a worker process: for this machine it supervises the program, for a remote
/// machine it looks after the run on it. When a worker dies, its Run says so, and has the laps and
/// the time until then; a worker that looked after a remote run is replaced a few times first, and
/// the run is followed further. When this process dies, workers end their programs on this machine
/// and leave remote runs alone: they can be followed later.
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
