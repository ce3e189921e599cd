#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "probe/interrupt.h"
#include "probe/supervisor.h"
#include "run/run.h"

namespace lapcast {

/// Where probes run: this machine; ssh hosts and Slurm nodes will be others.
class Executor {
 public:
  using Ticket = std::size_t;
  struct Event {
    Ticket ticket = 0;
    std::variant<ProbeProgress, Run> what;  // a Run is a ticket's last event
  };

  virtual ~Executor() = default;
  /// Starts a probe beside those that run already. What goes wrong later becomes the Run's outcome.
  virtual Ticket start(const ProbeRequest& request) = 0;
  /// What has happened, waiting for at most that long for something to happen.
  virtual std::vector<Event> wait(std::chrono::milliseconds at_most) = 0;
  /// Asks all to end in order; their Runs (interrupted) still come as events.
  virtual void stop_all() = 0;
};

/// Runs each probe under a supervisor process of its own on this machine. A supervisor that dies
/// gives a Run that says so; when this process dies the supervisors end their programs.
class LocalExecutor : public Executor {
 public:
  explicit LocalExecutor(Interrupt& interrupt);
  ~LocalExecutor() override;
  Ticket start(const ProbeRequest& request) override;
  std::vector<Event> wait(std::chrono::milliseconds at_most) override;
  void stop_all() override;

 private:
  struct Worker;
  [[noreturn]] void work(const ProbeRequest& request, int result_fd);
  Interrupt& interrupt_;
  std::map<Ticket, std::unique_ptr<Worker>> workers_;
  Ticket next_ticket_ = 1;
};

}  // namespace lapcast
