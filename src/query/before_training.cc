#include "query/before_training.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lapcast {
namespace {

/// Says how much was sent in one run, and how long that took.
struct Sending {
  std::int64_t bytes = 0;
  Seconds time{0};
};

Sending sent_data(const Run& run) {
  Sending sum;
  for (const PreparationStep& step : run.preparation) {
    if (step.what != "send data") continue;
    sum.bytes += step.bytes;
    sum.time += step.time;
  }
  return sum;
}

std::map<std::string, std::vector<const Run*>> by_machine(std::span<const Run> runs) {
  std::map<std::string, std::vector<const Run*>> result;
  for (const Run& run : runs) result[run.context.machine_type.name].push_back(&run);
  return result;
}

}  // namespace

BeforeTraining measured_before_training(std::span<const Run* const> runs, std::int64_t data_bytes) {
  BeforeTraining before;
  Seconds program{0};
  Sending most;
  for (const Run* run : runs) {
    before.boot = std::max(before.boot, preparation_time(*run, kBootStep));
    before.preparation = std::max(before.preparation, preparation_time(*run, "set-up"));
    program = std::max(program, preparation_time(*run, "send program"));
    most = std::max(most, sent_data(*run), [](const Sending& a, const Sending& b) {
      return std::pair(a.bytes, a.time) < std::pair(b.bytes, b.time);
    });
  }
  const double larger = data_bytes > 0 && most.bytes > 0
                            ? static_cast<double>(data_bytes) / static_cast<double>(most.bytes)
                            : 1;
  before.data_in = program + most.time * larger;
  return before;
}

std::map<std::string, BeforeTraining> measured_boots(std::span<const Run> probes) {
  std::map<std::string, BeforeTraining> boots;
  for (const Run& probe : probes)
    if (const Seconds boot = preparation_time(probe, kBootStep); boot > Seconds{0}) {
      Seconds& longest = boots[probe.context.machine_type.name].boot;
      longest = std::max(longest, boot);
    }
  return boots;
}

std::map<std::string, BeforeTraining> before_trainings(std::span<const Run> probes,
                                                       std::span<const Run> runs,
                                                       FleetLookup& fleets) {
  const auto measured = by_machine(runs);
  std::map<std::string, BeforeTraining> result;
  for (const Run& probe : probes) {
    const std::string& name = probe.context.machine_type.name;
    const auto machine = fleets.machine_of(probe);
    const std::int64_t bytes = machine ? machine->data_bytes : 0;
    BeforeTraining before;
    if (const auto own = measured.find(name); own != measured.end())
      before = measured_before_training(own->second, bytes);
    if (machine && machine->link_bytes_per_s > 0)
      before.data_in = Seconds{static_cast<double>(bytes) / machine->link_bytes_per_s};
    if (before != BeforeTraining{}) result[name] = before;
  }
  return result;
}

}  // namespace lapcast
