#include "price/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kMaxSeconds = 100.0 * 365.25 * 86400;
constexpr std::int64_t kMostNs = 100LL * 8766 * 3600 * 1'000'000'000;  // kMaxSeconds

std::optional<Reason> why_not_priced(const Offer& offer, const Interval<Seconds>& training) {
  for (const Seconds time : {training.low, training.mid, training.high}) {
    if (!(time.count() >= 0)) return Reason{"a time below 0 cannot be priced"};
    if (!(time.count() <= kMaxSeconds))
      return Reason{fmt::format("{} cannot be priced: more than 100 years", format_duration(time))};
  }
  if (offer.boot_ns < 0 || from_ns(offer.boot_ns).count() > kMaxSeconds)
    return Reason{"the offer's boot time is not between 0 and 100 years"};
  return std::nullopt;
}

/// Returns the time for boot and training.
std::int64_t used_time(const Offer& offer, Seconds training) {
  return offer.boot_ns + std::llround(training.count() * 1e9);
}

Money bill(const Offer& offer, Seconds training) {
  return cost_of(offer.price, billed_time(offer.billing, used_time(offer, training)));
}

void add_line(Quote& quote, LineItem item, std::int64_t billed_ns, Money amount) {
  if (billed_ns > 0) quote.line_storage[quote.line_count++] = {item, billed_ns, amount};
}

/// Adds the lines. Every line is the difference of two exact bills, so that the lines sum to the
/// last.
void itemise(Quote& quote, const Offer& offer, Seconds training) {
  const std::int64_t used = used_time(offer, training);
  const std::int64_t billed = billed_time(offer.billing, used);
  const Money after_boot = offer.boot_ns > 0 ? cost_of(offer.price, offer.boot_ns) : Money{};
  const Money total = cost_of(offer.price, billed);
  const Money after_training = billed > used ? cost_of(offer.price, used) : total;
  add_line(quote, LineItem::boot, offer.boot_ns, after_boot);
  add_line(quote, LineItem::training, used - offer.boot_ns, after_training - after_boot);
  add_line(quote, LineItem::billing_round_up, billed - used, total - after_training);
  quote.total.mid = total;
}

bool affordable(const Offer& offer, std::int64_t training_ns, Money most) {
  const auto bill = quote(offer, Interval<Seconds>::exactly(from_ns(training_ns)));
  return bill && bill->total.mid <= most;
}

}  // namespace

std::int64_t billed_time(const Billing& billing, std::int64_t used_ns) {
  std::int64_t billed = used_ns;
  const std::int64_t rest = billing.step_ns > 0 ? used_ns % billing.step_ns : 0;
  if (rest > 0 && __builtin_add_overflow(used_ns, billing.step_ns - rest, &billed)) {
    throw Error(ExitCode::bad_input, "a billed time is out of range; check the billing step");
  }
  return std::max(billed, billing.minimum_ns);
}

Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training) {
  if (auto reason = why_not_priced(offer, training)) return tl::unexpected(std::move(*reason));
  Quote result;
  try {
    itemise(result, offer, training.mid);
    result.total.low = bill(offer, training.low);
    result.total.high = bill(offer, training.high);
  } catch (const Error& error) {  // an amount or a billed time is out of range
    return because(error.what());
  }
  const Seconds boot = from_ns(offer.boot_ns);
  result.time = {boot + training.low, boot + training.mid, boot + training.high};
  return result;
}

std::optional<Seconds> affordable_time(const Offer& offer, Money most) {
  if (!affordable(offer, 0, most)) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = 1'000'000'000;
  while (high < kMostNs && affordable(offer, high, most)) {
    low = high;
    high *= 2;
  }
  if (high >= kMostNs) return from_ns(kMostNs);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (affordable(offer, middle, most) ? low : high) = middle;
  }
  return from_ns(low);
}

}  // namespace lapcast
