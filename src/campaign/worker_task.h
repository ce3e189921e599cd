#pragma once

#include <sys/types.h>

#include <string_view>

#include "probe/interrupt.h"
#include "probe/request.h"

namespace lapcast {

/// The line that the coordinator sends a worker when it has stored the run.
inline constexpr std::string_view kRunIsStored = "stored";

struct WorkerTask {
  ProbeRequest request;
  bool only_removes = false;  // removes what is left of the run; starts nothing
  int result_fd = -1;         // takes messages (agent_protocol.h)
  int orders_fd = -1;
  int power_socket = -1;  // of a PowerGuard; -1 = none
  pid_t coordinator = -1;
};

/// Does the work of a worker process: supervises the program on this machine, follows the run on a
/// remote machine until the coordinator has stored its result, or removes it. Returns the exit
/// status: 0 if nothing is left of the run on its machine.
int do_worker_task(WorkerTask task, Interrupt& interrupt);

}  // namespace lapcast
