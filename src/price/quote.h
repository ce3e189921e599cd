#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

/// Says what a line of a bill is for, in the order of a bill; billing_round_up is what is billed
/// beyond the lines above it.
enum class LineItem {
  boot,
  preparation,
  data_in,
  training,  // without validation, where that has a line
  validation,
  checkpoints,  // this line and the two below are of spot machines only
  lost_work,
  restarts,
  billing_round_up,
  licence,  // this line and the ones below are not a machine's time
  storage,
  snapshots,
  egress,
  tax,
};
inline constexpr std::size_t kLineItems = static_cast<std::size_t>(LineItem::tax) + 1;

/// Returns the name that people and programs see: "boot", "data in", "rounding up".
std::string_view to_string(LineItem item);

/// Holds the time that a rented machine needs before the training can begin.
struct BeforeTraining {
  Seconds preparation{0};  // set-up of the program's packages
  Seconds data_in{0};      // sending the program and its data to the machine
  Seconds boot{0};         // as measured; counts where the offer says nothing of its boot time
  friend bool operator==(const BeforeTraining&, const BeforeTraining&) = default;
};

/// Returns the boot time that is billed, in nanoseconds: the offer's, else the measured one.
std::int64_t boot_time_ns(const Offer& offer, const BeforeTraining& before);

/// Says what a training takes from a provider besides its time.
struct Demand {
  BeforeTraining before;
  Seconds validation{0};            // the part of the training's time that is validation
  std::int64_t disk_bytes = 0;      // stored as long as the machine is billed
  std::int64_t snapshot_bytes = 0;  // kept after the training
  Seconds snapshots_kept{0};
  std::int64_t egress_bytes = 0;  // sent away from the provider
  friend bool operator==(const Demand&, const Demand&) = default;
};

struct QuoteLine {
  LineItem item{};
  std::int64_t billed_ns = 0;  // of a machine's time; 0 in lines for other things
  Money amount;
};
/// Holds the lines of most bills without allocation: a ranking has a bill per row.
using QuoteLines = boost::container::small_vector<QuoteLine, 3>;

/// Makes the lines of a bill one after the other. Lines for time are differences of exact bills;
/// all lines sum to total(). What costs nothing and takes no time has no line.
class LineMaker {
 public:
  explicit LineMaker(const Offer& offer) : offer_(offer) {}
  /// Adds `ns` >= 0 more of a machine's time. Throws Error when an amount is out of range.
  void add(LineItem item, std::int64_t ns);
  /// Adds the offer's other prices for the time so far, and the tax on all lines. Nothing may be
  /// added after it. Throws Error when an amount is out of range.
  void add_other(const Demand& demand);
  const QuoteLines& lines() const { return lines_; }
  Money total() const { return total_; }
  std::int64_t billed_ns() const { return billed_ns_; }

 private:
  void add_amount(LineItem item, Money amount);

  const Offer& offer_;
  QuoteLines lines_;
  Money total_;
  std::int64_t billed_ns_ = 0;
};

/// Returns the bill of a machine with its other prices: licence and storage for the billed time,
/// snapshots, egress and tax. Throws Error when an amount is out of range.
Money with_other_prices(Money machine, const OtherPrices& other, const Demand& demand,
                        std::int64_t billed_ns);

/// Holds what one training costs under one offer. Its lines sum exactly to total.mid.
struct Quote {
  QuoteLines lines;
  Interval<Money> total;
  Interval<Seconds> time;  // to the result: boot, what is before the training, and the training
};

/// Returns the bill for a training of that length: boot, what is before the training, and the
/// training, rounded up to the billing step, at least the minimum, and the offer's other prices;
/// total.low and total.high are the bills of the interval's ends. Returns the reason when a time is
/// negative, not finite or above 100 years, or an amount is out of range.
Result<Quote> quote(const Offer& offer, const Interval<Seconds>& training,
                    const Demand& demand = {});

/// Returns the billed nanoseconds for used_ns >= 0 of use: whole steps, at least the minimum.
/// Throws Error (bad input) when they are out of range.
std::int64_t billed_time(const Billing& billing, std::int64_t used_ns);

/// Returns the longest training whose bill by quote() (boot, what is before it, billing steps and
/// minimum included) is not above `most`, to the nanosecond. Returns nothing when even a training
/// of no time costs more, and 100 years when `most` pays for 2^31 s (68 years) or more.
std::optional<Seconds> affordable_time(const Offer& offer, Money most, const Demand& demand = {});

}  // namespace lapcast
