#include "suite/soak/soak.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "core/units.h"
#include "posix/files.h"
#include "query/input_files.h"
#include "remote/patience.h"
#include "suite/soak/holder.h"
#include "suite/soak/soak_link.h"

namespace lapcast {
namespace {

std::unique_ptr<LightLoad> load_of(const SoakRequest& request) {
  return request.plan.device == "cuda" ? cuda_load(request.share) : cpu_load(request.share);
}

Soak named_plan(const SoakRequest& request) {
  Soak plan = request.plan;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  if (plan.machine.empty()) plan.machine = host;
  return plan;
}

}  // namespace

std::optional<Reason> hold_machine(const SoakRequest& request, const Interrupt& interrupt,
                                   const SoakListener& listener) {
  const Soak plan = named_plan(request);
  HeartbeatFile file(request.heartbeats);
  const auto tell = [&](const Heartbeat& heartbeat) {
    listener.on_heartbeat(heartbeat, file.append(heartbeat));
    return true;
  };
  if (!request.remote) return soak(plan, *load_of(request), interrupt, tell);
  return SoakLink(plan, *request.remote, request.load, interrupt, tell, listener.say).run();
}

void emit_heartbeats(const SoakRequest& request) {
  Soak plan = named_plan(request);
  plan.leash_fd = STDIN_FILENO;
  SignsOfLife alive;  // the first use of a device may take a long time
  const auto load = load_of(request);
  Interrupt interrupt;
  alive.stop();
  const auto failed = soak(plan, *load, interrupt, [](const Heartbeat& heartbeat) {
    return write_all(STDOUT_FILENO, heartbeat_line(heartbeat));
  });
  if (failed) throw Error(ExitCode::system_failed, failed->text);
}

PlaceSetup place_to_hold(const Fleet& fleet, const std::string& name, const std::string& file) {
  const FleetMachine& machine = find_machine(fleet, name, file);
  if (is_queued(machine.place_setup.place))
    throw Error(ExitCode::usage,
                fmt::format("--to: {} is reached by Slurm, whose queue decides who "
                            "has it; soak holds machines reached by ssh",
                            printable(name)));
  return machine.place_setup;
}

}  // namespace lapcast
