#pragma once

#include <span>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

/// Returns the offers in RunContext::price of the runs (--price, fleet file), each once, in order.
std::vector<Offer> offers_of(std::span<const Run> runs);

/// Returns the offer that a run is billed under: RunContext::price, else the one in `offers` with
/// the name RunContext::offer, or else the first for the machine type of that name, which is the
/// run's own where it asks for no offer; nullptr when there is none. The result is valid as long as
/// `run` and `offers` are.
const Offer* offer_of(const Run& run, std::span<const Offer> offers);

/// Returns the bill (quote()) for that time of the run under offer_of(), or why it has none.
Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers);

/// Returns cost_of_time() of the run's own wall time.
Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers);

}  // namespace lapcast
