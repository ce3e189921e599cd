#include "spot/spot_bill.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace lapcast {
namespace {

constexpr double kMostBilledSeconds = 100 * 365.25 * 86400;

std::int64_t billed_ns_of(Seconds time) {
  if (!(time.count() >= 0 && time.count() <= kMostBilledSeconds))
    throw Error(ExitCode::bad_input, "a billed time is not between 0 and 100 years");
  return std::llround(time.count() * 1e9);
}

SpotBill bill_of(const Offer& offer, const SpotForecast& forecast) {
  const Seconds round_up = from_ns(offer.billing.step_ns) / 2 * (1 + forecast.interruptions);
  const SpotTimes& mean = forecast.mean;
  const std::pair<LineItem, Seconds> parts[] = {{LineItem::boot, mean.boot},
                                                {LineItem::training, mean.training},
                                                {LineItem::checkpoints, mean.checkpoints},
                                                {LineItem::lost_work, mean.lost_work},
                                                {LineItem::restarts, mean.restarts},
                                                {LineItem::billing_round_up, round_up}};
  SpotBill bill;
  LineMaker maker(offer);
  for (const auto& [item, time] : parts) maker.add(item, billed_ns_of(time));
  maker.add_other({});
  bill.lines = maker.lines();
  bill.total.mid = maker.total();
  // The mean of a skewed cost may lie beyond a quantile.
  const auto end = [&](Seconds used) {
    const std::int64_t billed = billed_ns_of(used + round_up);
    return with_other_prices(cost_of(offer.price, billed), offer, {}, billed);
  };
  bill.total.low = std::min(bill.total.mid, end(forecast.billed.low));
  bill.total.high = std::max(bill.total.mid, end(forecast.billed.high));
  return bill;
}

}  // namespace

Result<SpotBill> spot_bill(const Offer& offer, const SpotForecast& forecast) {
  if (!forecast.mean.finished) return because("none of the simulated jobs finished");
  try {
    return bill_of(offer, forecast);
  } catch (const Error& error) {  // an amount or a billed time is out of range
    return because(error.what());
  }
}

}  // namespace lapcast
