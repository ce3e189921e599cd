#include "price/affordable_time.h"

#include <cstdint>

#include "price/quote.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMostNs = 100LL * 8766 * 3600 * 1'000'000'000;  // what quote() takes, nearly

bool affordable(const Offer& offer, std::int64_t training_ns, Money most) {
  const auto bill = quote(offer, Interval<Seconds>::exactly(from_ns(training_ns)));
  return bill && bill->total.mid <= most;
}

}  // namespace

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
