#include "price/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kMaxSeconds = 100.0 * 365.25 * 86400;
constexpr std::int64_t kMostNs = 100LL * 8766 * 3600 * 1'000'000'000;  // kMaxSeconds

constexpr double kBytesPerGb = 1e9;
constexpr double kNsPerMonth = 730 * 3.6e12;

std::optional<Reason> why_not_priced(const Offer& offer, const Interval<Seconds>& training,
                                     const Demand& demand) {
  for (const Seconds time :
       {training.low, training.mid, training.high, demand.before.preparation, demand.before.data_in,
        demand.before.boot, demand.validation, demand.snapshots_kept}) {
    if (!(time.count() >= 0)) return Reason{"a time below 0 cannot be priced"};
    if (!(time.count() <= kMaxSeconds))
      return Reason{fmt::format("{} cannot be priced: more than 100 years", format_duration(time))};
  }
  if (offer.boot_ns < 0 || from_ns(offer.boot_ns).count() > kMaxSeconds)
    return Reason{"the offer's boot time is not between 0 and 100 years"};
  return std::nullopt;
}

std::int64_t nanoseconds(Seconds time) {
  return std::llround(time.count() * 1e9);
}

/// Returns the time before the training that is billed.
std::int64_t time_before(const Offer& offer, const BeforeTraining& before) {
  return boot_time_ns(offer, before) + nanoseconds(before.preparation) +
         nanoseconds(before.data_in);
}

double gigabytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / kBytesPerGb;
}

/// Calls add(item, amount) for each of an offer's other prices but the tax.
void for_each_other_price(const OtherPrices& other, const Demand& demand, std::int64_t billed_ns,
                          auto add) {
  const double months = static_cast<double>(billed_ns) / kNsPerMonth;
  const double months_kept = demand.snapshots_kept.count() * 1e9 / kNsPerMonth;
  add(LineItem::licence, cost_of(other.licence, billed_ns));
  add(LineItem::storage, scaled(other.storage_per_gb_month, gigabytes(demand.disk_bytes) * months));
  add(LineItem::snapshots,
      scaled(other.snapshots_per_gb_month, gigabytes(demand.snapshot_bytes) * months_kept));
  add(LineItem::egress, scaled(other.egress_per_gb, gigabytes(demand.egress_bytes)));
}

Money bill(const Offer& offer, const Demand& demand, std::int64_t before_ns, Seconds training) {
  const std::int64_t billed = billed_time(offer.billing, before_ns + nanoseconds(training));
  return with_other_prices(cost_of(offer.price, billed), offer.other, demand, billed);
}

/// Adds the lines of what takes any time or costs anything.
void itemise(Quote& quote, const Offer& offer, Seconds training, const Demand& demand) {
  LineMaker maker(offer);
  const std::int64_t whole = nanoseconds(training);
  const std::int64_t validation = std::min(whole, nanoseconds(demand.validation));
  maker.add(LineItem::boot, boot_time_ns(offer, demand.before));
  maker.add(LineItem::preparation, nanoseconds(demand.before.preparation));
  maker.add(LineItem::data_in, nanoseconds(demand.before.data_in));
  maker.add(LineItem::training, whole - validation);
  maker.add(LineItem::validation, validation);
  maker.add(LineItem::billing_round_up,
            billed_time(offer.billing, maker.billed_ns()) - maker.billed_ns());
  maker.add_other(demand);
  quote.lines = maker.lines();
  quote.total.mid = maker.total();
}

bool affordable(const Offer& offer, std::int64_t training_ns, Money most, const Demand& demand) {
  const auto bill = quote(offer, Interval<Seconds>::exactly(from_ns(training_ns)), demand);
  return bill && bill->total.mid <= most;
}

}  // namespace

std::string_view to_string(LineItem item) {
  constexpr std::string_view kNames[] = {
      "boot",     "preparation", "data in", "training", "validation", "checkpoints", "lost work",
      "restarts", "rounding up", "licence", "storage",  "snapshots",  "egress",      "tax"};
  static_assert(std::size(kNames) == kLineItems);
  return kNames[static_cast<std::size_t>(item)];
}

std::int64_t boot_time_ns(const Offer& offer, const BeforeTraining& before) {
  return offer.boot_ns > 0 ? offer.boot_ns : nanoseconds(before.boot);
}

void LineMaker::add(LineItem item, std::int64_t ns) {
  if (ns <= 0) return;
  const Money after = cost_of(offer_.price, billed_ns_ + ns);
  billed_ns_ += ns;
  lines_.push_back({item, ns, after - total_});
  total_ = after;
}

void LineMaker::add_amount(LineItem item, Money amount) {
  if (amount == Money{}) return;
  lines_.push_back({item, 0, amount});
  total_ = total_ + amount;
}

void LineMaker::add_other(const Demand& demand) {
  if (offer_.other == OtherPrices{}) return;
  for_each_other_price(offer_.other, demand, billed_ns_,
                       [&](LineItem item, Money amount) { add_amount(item, amount); });
  add_amount(LineItem::tax, scaled(total_, offer_.other.tax));
}

Money with_other_prices(Money machine, const OtherPrices& other, const Demand& demand,
                        std::int64_t billed_ns) {
  if (other == OtherPrices{}) return machine;
  Money total = machine;
  for_each_other_price(other, demand, billed_ns,
                       [&](LineItem, Money amount) { total = total + amount; });
  return total + scaled(total, other.tax);
}

std::int64_t billed_time(const Billing& billing, std::int64_t used_ns) {
  std::int64_t billed = used_ns;
  const std::int64_t rest = billing.step_ns > 0 ? used_ns % billing.step_ns : 0;
  if (rest > 0 && __builtin_add_overflow(used_ns, billing.step_ns - rest, &billed)) {
    throw Error(ExitCode::bad_input, "a billed time is out of range; check the billing step");
  }
  return std::max(billed, billing.minimum_ns);
}

Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training, const Demand& demand) {
  if (auto reason = why_not_priced(offer, training, demand))
    return tl::unexpected(std::move(*reason));
  Quote result;
  const std::int64_t before_ns = time_before(offer, demand.before);
  try {
    itemise(result, offer, training.mid, demand);
    result.total.low = bill(offer, demand, before_ns, training.low);
    result.total.high = bill(offer, demand, before_ns, training.high);
  } catch (const Error& error) {  // an amount or a billed time is out of range
    return because(error.what());
  }
  const Seconds start = from_ns(before_ns);
  result.time = {start + training.low, start + training.mid, start + training.high};
  return result;
}

std::optional<Seconds> affordable_time(const Offer& offer, Money most, const Demand& demand) {
  if (!affordable(offer, 0, most, demand)) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = 1'000'000'000;
  while (high < kMostNs && affordable(offer, high, most, demand)) {
    low = high;
    high *= 2;
  }
  if (high >= kMostNs) return from_ns(kMostNs);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (affordable(offer, middle, most, demand) ? low : high) = middle;
  }
  return from_ns(low);
}

}  // namespace lapcast
