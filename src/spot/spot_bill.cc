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

/// Returns the mean of what billing steps and the minimum add.
Seconds round_up_of(const Billing& billing, const SpotForecast& forecast) {
  const Seconds half_step = from_ns(billing.step_ns) / 2;
  const std::int64_t used = billed_ns_of(forecast.undisturbed_billed);
  return half_step * forecast.interruptions + (1 - forecast.undisturbed) * half_step +
         forecast.undisturbed * from_ns(billed_time(billing, used) - used);
}

Quote bill_of(const Offer& offer, const SpotForecast& forecast, const Demand& demand) {
  const SpotTimes& mean = forecast.mean;
  const BeforeTraining& before = demand.before;
  const Seconds planned =
      from_ns(boot_time_ns(offer, before)) + before.preparation + before.data_in;
  const double share = planned.count() > 0 ? mean.boot / planned : 0;
  const Seconds preparation = share * before.preparation, data_in = share * before.data_in;
  const Seconds validation = std::min(mean.training, demand.validation);
  const std::pair<LineItem, Seconds> parts[] = {
      {LineItem::boot, std::max(Seconds{0}, mean.boot - preparation - data_in)},
      {LineItem::preparation, preparation},
      {LineItem::data_in, data_in},
      {LineItem::training, mean.training - validation},
      {LineItem::validation, validation},
      {LineItem::checkpoints, mean.checkpoints},
      {LineItem::lost_work, mean.lost_work},
      {LineItem::restarts, mean.restarts},
      {LineItem::billing_round_up, round_up_of(offer.billing, forecast)}};
  LineMaker maker(offer);
  for (const auto& [item, time] : parts) maker.add(item, billed_ns_of(time));
  maker.add_other(demand);
  Quote bill;
  bill.lines = maker.lines();
  bill.total.mid = maker.total();
  bill.time = forecast.time;
  // The mean of a skewed cost may lie beyond a quantile.
  const Seconds more = from_ns(offer.billing.step_ns) / 2 * forecast.interruptions;
  const auto end = [&](Seconds used) {
    const Seconds last = from_ns(billed_time(offer.billing, billed_ns_of(used)));
    const std::int64_t billed = billed_ns_of(last + more);
    return with_other_prices(cost_of(offer.price, billed), offer.other, demand, billed);
  };
  bill.total.low = std::min(bill.total.mid, end(forecast.billed.low));
  bill.total.high = std::max(bill.total.mid, end(forecast.billed.high));
  return bill;
}

}  // namespace

Result<Quote> spot_bill(const Offer& offer, const SpotForecast& forecast, const Demand& demand) {
  if (!forecast.mean.finished) return because("none of the simulated jobs finished");
  try {
    return bill_of(offer, forecast, demand);
  } catch (const Error& error) {  // an amount or a billed time is out of range
    return because(error.what());
  }
}

}  // namespace lapcast
