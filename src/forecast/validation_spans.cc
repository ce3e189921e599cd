#include "forecast/validation_spans.h"

#include <algorithm>

namespace lapcast {
namespace {

constexpr double kFullShare = 0.95;

}  // namespace

ValidationSpans validations_after_first_lap(const LapLog& log) {
  ValidationSpans spans;
  std::copy_if(log.validations.begin(), log.validations.end(), std::back_inserter(spans),
               [](const ValidationSpan& validation) { return validation.laps_before > 0; });
  return spans;
}

std::int64_t most_samples(const ValidationSpans& spans) {
  std::int64_t most = 0;
  for (const ValidationSpan& span : spans) most = std::max(most, span.samples);
  return most;
}

ValidationSpans full_validations(const ValidationSpans& spans, std::int64_t samples) {
  ValidationSpans full;
  const double least = kFullShare * static_cast<double>(samples);
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(full),
               [least](const ValidationSpan& span) {
                 return span.samples == 0 || static_cast<double>(span.samples) >= least;
               });
  return full;
}

}  // namespace lapcast
