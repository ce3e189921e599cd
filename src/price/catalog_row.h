#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "price/offer.h"

namespace lapcast {

/// Lists the columns of a catalog, see docs/catalog.md.
enum class CatalogColumn {
  name,
  provider,
  service,
  machine_type,
  region,
  accelerator,
  accelerator_count,
  price_usd_per_hour,
  terms,
  purchase_usd,
  years,
  utilisation,
  power_kw,
  usd_per_kwh,
  running_usd_per_year,
  billing_step,
  billing_minimum,
  boot,
  as_of,
  source,
};

inline constexpr std::array<std::string_view, 20> kCatalogColumns{"name",
                                                                  "provider",
                                                                  "service",
                                                                  "machine_type",
                                                                  "region",
                                                                  "accelerator",
                                                                  "accelerator_count",
                                                                  "price_usd_per_hour",
                                                                  "terms",
                                                                  "purchase_usd",
                                                                  "years",
                                                                  "utilisation",
                                                                  "power_kw",
                                                                  "usd_per_kwh",
                                                                  "running_usd_per_year",
                                                                  "billing_step",
                                                                  "billing_minimum",
                                                                  "boot",
                                                                  "as_of",
                                                                  "source"};

constexpr std::string_view to_string(CatalogColumn column) {
  return kCatalogColumns[static_cast<std::size_t>(column)];
}

/// Says where each column stands in a row; kAbsent where the header does not name it.
struct CatalogHeader {
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
  std::array<std::size_t, kCatalogColumns.size()> position;
  std::size_t width = 0;  // fields of a row
};

/// Returns the offer in one row, or the reason why there is none, which names the column.
Result<Offer> offer_of_row(const CatalogHeader& header, const std::vector<std::string>& fields);

}  // namespace lapcast
