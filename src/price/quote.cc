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

std::optional<Reason> why_not_priced(const Offer& offer, const Interval<Seconds>& training,
                                     const BeforeTraining& before) {
  for (const Seconds time :
       {training.low, training.mid, training.high, before.preparation, before.data_in}) {
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
  return offer.boot_ns + nanoseconds(before.preparation) + nanoseconds(before.data_in);
}

Money bill(const Offer& offer, std::int64_t before_ns, Seconds training) {
  return cost_of(offer.price, billed_time(offer.billing, before_ns + nanoseconds(training)));
}

/// Adds the lines of what takes any time.
void itemise(Quote& quote, const Offer& offer, Seconds training, const BeforeTraining& before) {
  LineMaker maker(offer.price);
  const auto add = [&](LineItem item, std::int64_t ns) {
    if (ns > 0) quote.line_storage[quote.line_count++] = maker.next(item, ns);
  };
  add(LineItem::boot, offer.boot_ns);
  add(LineItem::preparation, nanoseconds(before.preparation));
  add(LineItem::data_in, nanoseconds(before.data_in));
  add(LineItem::training, nanoseconds(training));
  add(LineItem::billing_round_up,
      billed_time(offer.billing, maker.billed_ns()) - maker.billed_ns());
  quote.total.mid = maker.total();
}

bool affordable(const Offer& offer, std::int64_t training_ns, Money most,
                const BeforeTraining& before) {
  const auto bill = quote(offer, Interval<Seconds>::exactly(from_ns(training_ns)), before);
  return bill && bill->total.mid <= most;
}

}  // namespace

std::string_view to_string(LineItem item) {
  constexpr std::string_view kNames[] = {"boot",        "preparation", "data in",  "training",
                                         "checkpoints", "lost work",   "restarts", "rounding up"};
  return kNames[static_cast<std::size_t>(item)];
}

QuoteLine LineMaker::next(LineItem item, std::int64_t ns) {
  const Money after = cost_of(price_, billed_ns_ + ns);
  const QuoteLine line{item, ns, after - total_};
  total_ = after;
  billed_ns_ += ns;
  return line;
}

std::int64_t billed_time(const Billing& billing, std::int64_t used_ns) {
  std::int64_t billed = used_ns;
  const std::int64_t rest = billing.step_ns > 0 ? used_ns % billing.step_ns : 0;
  if (rest > 0 && __builtin_add_overflow(used_ns, billing.step_ns - rest, &billed)) {
    throw Error(ExitCode::bad_input, "a billed time is out of range; check the billing step");
  }
  return std::max(billed, billing.minimum_ns);
}

Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training,
                    const BeforeTraining& before) {
  if (auto reason = why_not_priced(offer, training, before))
    return tl::unexpected(std::move(*reason));
  Quote result;
  const std::int64_t before_ns = time_before(offer, before);
  try {
    itemise(result, offer, training.mid, before);
    result.total.low = bill(offer, before_ns, training.low);
    result.total.high = bill(offer, before_ns, training.high);
  } catch (const Error& error) {  // an amount or a billed time is out of range
    return because(error.what());
  }
  const Seconds start = from_ns(before_ns);
  result.time = {start + training.low, start + training.mid, start + training.high};
  return result;
}

std::optional<Seconds> affordable_time(const Offer& offer, Money most,
                                       const BeforeTraining& before) {
  if (!affordable(offer, 0, most, before)) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = 1'000'000'000;
  while (high < kMostNs && affordable(offer, high, most, before)) {
    low = high;
    high *= 2;
  }
  if (high >= kMostNs) return from_ns(kMostNs);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (affordable(offer, middle, most, before) ? low : high) = middle;
  }
  return from_ns(low);
}

}  // namespace lapcast
