#include "query/same_work.h"

#include <algorithm>

#include "machine/description.h"
#include "machine/machine_type.h"
#include "machine/place.h"
#include "run/program_folder.h"

namespace lapcast {
namespace {

/// Returns whether the hardware of a measured run is known. A request alone does not tell what a
/// cluster gives to a job.
bool has_known_hardware(const RunContext& context) {
  return !was_imported(context) && !is_queued(context.place);
}

}  // namespace

bool is_same_work(const RunContext& a, const RunContext& b) {
  return has_known_hardware(a) && has_known_hardware(b) && a.machine.host == b.machine.host &&
         (a.place == b.place || is_same_machine(a.machine, b.machine)) &&
         same_hardware(a.machine_type, b.machine_type) && a.settings == b.settings &&
         is_same_program(a, b);
}

const Run* probe_of(const Candidate& candidate, std::span<const Run> probes) {
  const auto found = [&](auto is_wanted) {
    const auto run = std::ranges::find_if(probes, is_wanted);
    return run == probes.end() ? nullptr : &*run;
  };
  const Run* source = found([&](const Run& run) { return run.context.id == candidate.run_id; });
  if (source == nullptr || source->context.machine_type.name == candidate.machine_type)
    return source;
  return found([&](const Run& run) {
    return run.context.machine_type.name == candidate.machine_type &&
           is_same_work(run.context, source->context);
  });
}

}  // namespace lapcast
