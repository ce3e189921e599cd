#pragma once

#include "core/money.h"
#include "core/result.h"

namespace lapcast {

/// (baseline - cost) / baseline. With what running everything to its end would have cost as
/// baseline and the probes as cost: the saving of the search [M]. With another machine's cost as
/// baseline: the cost efficiency [K]. Negative when the cost is above the baseline; a reason when
/// the baseline is not above 0.
Result<double> saving(Money baseline, Money cost);

}  // namespace lapcast
