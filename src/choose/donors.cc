#include "choose/donors.h"

#include <fmt/format.h>

namespace lapcast {

std::vector<Donor> donors_of(std::span<const Run> runs) {
  std::vector<Donor> donors;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    const auto profile = profile_of(run);
    if (!profile) continue;
    auto validation = validation_elsewhere(
        *profile, fmt::format("run {} on {}", context.id, context.machine_type.name));
    if (validation)
      donors.push_back({context.id, context.program, context.settings, *std::move(validation)});
  }
  return donors;
}

const Donor* donor_for(const RunContext& context, std::span<const Donor> donors) {
  const Donor* best = nullptr;
  for (const Donor& donor : donors) {
    if (donor.run_id == context.id || donor.program != context.program ||
        donor.settings != context.settings)
      continue;
    if (best == nullptr || donor.validation.seen > best->validation.seen) best = &donor;
  }
  return best;
}

}  // namespace lapcast
