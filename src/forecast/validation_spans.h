#pragma once

#include <cstdint>
#include <vector>

#include "lap/lap_log.h"

namespace lapcast {

using ValidationSpans = std::vector<ValidationSpan>;

/// Those after the first lap: before it a validation is part of init.
ValidationSpans validations_after_first_lap(const LapLog& log);

/// Samples of the largest; 0 when there is none, or none reports any.
std::int64_t most_samples(const ValidationSpans& spans);

/// Those of 95 % of the samples or more; the others were asked for, to see what one costs.
ValidationSpans full_validations(const ValidationSpans& spans, std::int64_t samples);

}  // namespace lapcast
