// Checks that any bytes are a history of spot prices or have a reason, and that means over any time
// lie within the prices that were read.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "spot/price_history.h"

namespace {

using namespace lapcast;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto history = parse_price_history(text, {2026, 11, 27});
  if (!history) {
    require(!history.error().text.empty());
    return 0;
  }
  Money most;
  for (const PriceChange& change : history->changes) most = std::max(most, change.price.per_hour);
  for (const Seconds length : {Seconds{1}, Seconds{3600}, history->length()}) {
    const Interval<Money> price = mean_price_over(*history, length);
    require(Money{} <= price.low && price.low <= price.mid && price.mid <= price.high);
    require(price.high <= most + Money::from_nanos(1 + most.nanos() / 1'000'000));
  }
  return 0;
}
