// Checks that any bytes are a catalog, possibly with rejected rows, or end in one Error.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/units.h"
#include "price/catalog.h"
#include "price/quote.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const lapcast::Offer& offer) {
  require(!offer.name.empty() && !offer.as_of.empty() && !offer.source.empty());
  require(offer.price.per_hour >= lapcast::Money{});
  require(lapcast::printable(offer.name, offer.name.size()) == offer.name);
  lapcast::is_old(offer, "2026-11-20");
  // Every accepted offer can be billed for an hour.
  const auto hour = lapcast::Interval<lapcast::Seconds>::exactly(lapcast::Seconds{3600});
  const lapcast::Result<lapcast::Quote> quote = lapcast::quote(offer, hour);
  require(quote.has_value());
  lapcast::Money sum;
  for (const lapcast::QuoteLine& line : quote->lines) sum += line.amount;
  require(sum == quote->total.mid);
}

void check(const lapcast::RejectedRow& row) {
  require(row.line > 1 && !row.reason.text.empty());
  require(row.reason.text.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view csv(reinterpret_cast<const char*>(data), size);
  try {
    const lapcast::Catalog catalog = lapcast::parse_catalog(csv, "fuzz.csv", {2026, 11, 22});
    for (const lapcast::Offer& offer : catalog.offers) check(offer);
    for (const lapcast::RejectedRow& row : catalog.rejected) check(row);
  } catch (const lapcast::Error& error) {
    require(std::string_view(error.what()).starts_with("fuzz.csv:"));
  }
  return 0;
}
