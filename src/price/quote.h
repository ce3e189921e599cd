#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

/// Says what a line of a quote is for; billing_round_up is what is billed beyond boot and training.
enum class LineItem { boot, training, billing_round_up };

struct QuoteLine {
  LineItem item{};
  std::int64_t billed_ns = 0;
  Money amount;
};

/// Holds what one training costs under one offer. Its lines sum exactly to total.mid; an item that
/// takes no time has no line.
struct Quote {
  std::array<QuoteLine, 4> line_storage{};  // without allocation: a ranking has a quote per row
  std::size_t line_count = 0;
  Interval<Money> total;
  Interval<Seconds> time;  // to the result: boot and training
  std::span<const QuoteLine> lines() const { return {line_storage.data(), line_count}; }
};

/// Returns the bill for a training of that length: boot and training time, rounded up to the
/// billing step, at least the minimum; total.low and total.high are the bills of the interval's
/// ends. Returns the reason when a time is negative, not finite or above 100 years, or an amount is
/// out of range.
Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training);

/// Returns the billed nanoseconds for used_ns >= 0 of use: whole steps, at least the minimum.
/// Throws Error (bad input) when they are out of range.
std::int64_t billed_time(const Billing& billing, std::int64_t used_ns);

/// Returns the longest training whose bill by quote() (boot, billing steps and minimum included) is
/// not above `most`, to the nanosecond. Returns nothing when even a training of no time costs more,
/// and 100 years when `most` pays for 2^31 s (68 years) or more.
std::optional<Seconds> affordable_time(const Offer& offer, Money most);

}  // namespace lapcast
