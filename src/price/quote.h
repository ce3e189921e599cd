#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

/// Says what a line of a bill is for; billing_round_up is what is billed beyond the other lines.
enum class LineItem {
  boot,
  preparation,
  data_in,
  training,
  checkpoints,  // this line and the two below are of spot machines only
  lost_work,
  restarts,
  billing_round_up,
};
/// Returns the name that people and programs see: "boot", "data in", "rounding up".
std::string_view to_string(LineItem item);

/// Holds what a rented machine does before the training can begin.
struct BeforeTraining {
  Seconds preparation{0};  // set-up of the program's packages
  Seconds data_in{0};      // sending the program and its data to the machine
  friend bool operator==(const BeforeTraining&, const BeforeTraining&) = default;
};

struct QuoteLine {
  LineItem item{};
  std::int64_t billed_ns = 0;
  Money amount;
};

/// Makes the lines of a bill one after the other. Each is the difference of two exact bills, so
/// that they sum to total().
class LineMaker {
 public:
  explicit LineMaker(HourlyPrice price) : price_(price) {}
  /// Returns the line for so much more use, ns >= 0. Throws Error when an amount is out of range.
  QuoteLine next(LineItem item, std::int64_t ns);
  Money total() const { return total_; }
  std::int64_t billed_ns() const { return billed_ns_; }

 private:
  HourlyPrice price_;
  Money total_;
  std::int64_t billed_ns_ = 0;
};

/// Holds what one training costs under one offer. Its lines sum exactly to total.mid; an item that
/// takes no time has no line.
struct Quote {
  std::array<QuoteLine, 5> line_storage{};  // without allocation: a ranking has a quote per row
  std::size_t line_count = 0;
  Interval<Money> total;
  Interval<Seconds> time;  // to the result: boot, what is before the training, and the training
  std::span<const QuoteLine> lines() const { return {line_storage.data(), line_count}; }
};

/// Returns the bill for a training of that length: boot, what is before the training, and the
/// training, rounded up to the billing step, at least the minimum; total.low and total.high are the
/// bills of the interval's ends. Returns the reason when a time is negative, not finite or above
/// 100 years, or an amount is out of range.
Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training,
                    const BeforeTraining& before = {});

/// Returns the billed nanoseconds for used_ns >= 0 of use: whole steps, at least the minimum.
/// Throws Error (bad input) when they are out of range.
std::int64_t billed_time(const Billing& billing, std::int64_t used_ns);

/// Returns the longest training whose bill by quote() (boot, what is before it, billing steps and
/// minimum included) is not above `most`, to the nanosecond. Returns nothing when even a training
/// of no time costs more, and 100 years when `most` pays for 2^31 s (68 years) or more.
std::optional<Seconds> affordable_time(const Offer& offer, Money most,
                                       const BeforeTraining& before = {});

}  // namespace lapcast
