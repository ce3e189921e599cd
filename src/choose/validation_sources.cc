#include "choose/validation_sources.h"

#include <fmt/format.h>

#include <utility>

namespace lapcast {

std::vector<ValidationSource> validation_sources_of(std::span<const Run> runs) {
  std::vector<ValidationSource> validation_sources;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    const auto profile = profile_of(run);
    if (!profile) continue;
    auto validation = validation_ratio(
        *profile, fmt::format("run {} on {}", context.id, context.machine_type.name));
    if (validation)
      validation_sources.push_back(
          {context.id, context.program, context.settings, *std::move(validation)});
  }
  return validation_sources;
}

const ValidationSource* validation_source_for(
    const RunContext& context, std::span<const ValidationSource> validation_sources) {
  const ValidationSource* best = nullptr;
  for (const ValidationSource& validation_source : validation_sources) {
    if (validation_source.run_id == context.id || validation_source.program != context.program ||
        validation_source.settings != context.settings)
      continue;
    if (best == nullptr || validation_source.validation.observed > best->validation.observed)
      best = &validation_source;
  }
  return best;
}

}  // namespace lapcast
