// Checks that any bytes are a price list of each format, or end in one Error; what is read of them
// is written as a catalog and read back unchanged. The first byte chooses the format.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "formats/price_list.h"
#include "price/catalog.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr lapcast::Date kToday{2026, 11, 22};
  const auto format = static_cast<lapcast::PriceListFormat>(data[0] % 5);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const lapcast::PriceList list =
        lapcast::read_price_list(format, text, {"cloud", "2026-05-20", "fuzz"}, kToday);
    const lapcast::Catalog catalog =
        lapcast::parse_catalog(lapcast::catalog_csv(list.offers), "fuzz.csv", kToday);
    require(catalog.offers.size() == list.offers.size() && catalog.rejected.empty());
    for (std::size_t i = 0; i < list.offers.size(); ++i)
      require(catalog.offers[i].name == list.offers[i].name &&
              catalog.offers[i].price == list.offers[i].price);
  } catch (const lapcast::Error& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
