#pragma once

#include "core/error.h"
#include "price/offer.h"
#include "price/quote.h"
#include "spot/spot_forecast.h"

namespace lapcast {

/// Returns the bill of a forecast on spot machines at the offer's price, which is assumed to be
/// constant, with its other prices. The lines sum exactly to total.mid, which is the mean cost; low
/// and high are the 2.5 and 97.5 % quantiles; waiting costs nothing. The first start of the
/// forecast counts, not the offer's boot: its time is divided in proportion between boot and what
/// precedes the training. Each machine is billed separately: billing steps and minimum are exact
/// for jobs without an interruption; the machines of the others add half a step each, which is the
/// mean effect of rounding up. Returns the reason when none of the simulated jobs finished, or an
/// amount is out of range.
Result<Quote> spot_bill(const Offer& offer, const SpotForecast& forecast,
                        const Demand& demand = {});

}  // namespace lapcast
