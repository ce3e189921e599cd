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

/// Says what a line of a quote is for.
enum class LineItem { boot, training, billing_round_up };

struct QuoteLine {
  LineItem item{};
  std::int64_t billed_ns = 0;
  Money amount;
};

/// Holds what one training costs under one offer. Its lines sum exactly to total.mid.
struct Quote {
  std::array<QuoteLine, 4> line_storage{};
  std::size_t line_count = 0;
  Interval<Money> total;
  Interval<Seconds> time;  // to the result: boot and training
  std::span<const QuoteLine> lines() const { return {line_storage.data(), line_count}; }
};

/// Returns the bill for a training of that length: boot and training time, rounded up to the
/// billing step, at least the minimum; low and high are the bills of the interval's ends. Returns a
/// reason when a time is negative, not finite or above 100 years, or an amount is out of range.
Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training);

/// Returns the billed time for used_ns >= 0 of use: whole steps, at least the minimum. Throws Error
/// when it is out of range.
std::int64_t billed_time(const Billing& billing, std::int64_t used_ns);

/// Returns the longest training whose bill under the offer (quote(): boot, billing steps and
/// minimum included) is not above `most`, to the nanosecond. Returns nothing when even the shortest
/// costs more, and 100 years when the price is too low to tell.
std::optional<Seconds> affordable_time(const Offer& offer, Money most);

}  // namespace lapcast
