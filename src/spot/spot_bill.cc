#include "spot/spot_bill.h"

#include <algorithm>
#include <cmath>
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
  const std::pair<SpotItem, Seconds> parts[] = {{SpotItem::boot, mean.boot},
                                                {SpotItem::training, mean.training},
                                                {SpotItem::checkpoints, mean.checkpoints},
                                                {SpotItem::lost_work, mean.lost_work},
                                                {SpotItem::restarts, mean.restarts},
                                                {SpotItem::billing_round_up, round_up}};
  SpotBill bill;
  std::int64_t billed = 0;
  // Every line is the difference of two exact bills, so that the lines sum to the last.
  for (const auto& [item, time] : parts) {
    const std::int64_t ns = billed_ns_of(time);
    const Money after = cost_of(offer.price, billed + ns);
    if (ns > 0) bill.lines.push_back({item, ns, after - bill.total.mid});
    bill.total.mid = after;
    billed += ns;
  }
  // The mean of a skewed cost may lie beyond a quantile.
  const auto end = [&](Seconds used) {
    return cost_of(offer.price, billed_ns_of(used + round_up));
  };
  bill.total.low = std::min(bill.total.mid, end(forecast.billed.low));
  bill.total.high = std::max(bill.total.mid, end(forecast.billed.high));
  return bill;
}

}  // namespace

const char* name_of(SpotItem item) {
  switch (item) {
    case SpotItem::boot:
      return "boot";
    case SpotItem::training:
      return "training";
    case SpotItem::checkpoints:
      return "checkpoints";
    case SpotItem::lost_work:
      return "lost work";
    case SpotItem::restarts:
      return "restarts";
    case SpotItem::billing_round_up:
      return "round-up";
  }
  return "";
}

Result<SpotBill> spot_bill(const Offer& offer, const SpotForecast& forecast) {
  if (!forecast.mean.finished) return because("none of the simulated jobs finished");
  try {
    return bill_of(offer, forecast);
  } catch (const Error& error) {  // an amount or a billed time is out of range
    return because(error.what());
  }
}

}  // namespace lapcast
