#pragma once

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "price/quote.h"
#include "spot/spot_forecast.h"

namespace lapcast {

/// Holds what a job on spot machines is expected to cost. The lines sum exactly to total.mid, which
/// is the mean cost; low and high are the 2.5 and 97.5 % quantiles. An item that takes no time has
/// no line.
struct SpotBill {
  QuoteLines lines;
  Interval<Money> total;
};

/// Returns the bill of a forecast at the offer's price, which is held for constant. The boot of the
/// forecast counts, not the offer's. Each machine is billed for itself: where the offer has billing
/// steps, half a step is added for each, the mean of what rounding up adds; the minimum is not
/// modelled. Returns the reason when none of the simulated jobs finished, or an amount is out of
/// range.
Result<SpotBill> spot_bill(const Offer& offer, const SpotForecast& forecast);

}  // namespace lapcast
