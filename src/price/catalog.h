#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "price/date.h"
#include "price/offer.h"

namespace lapcast {

/// Holds a row of a catalog that cannot be used, and why.
struct RejectedRow {
  std::int64_t line = 0;
  Reason reason;  // "no date (as_of)", "negative price '-1'" ...
};

struct Catalog {
  std::vector<Offer> offers;
  std::vector<RejectedRow> rejected;
};

/// Reads a catalog in lapcast's CSV form (docs/catalog.md): a header row, then one offer a row;
/// columns may stand in any order, unknown columns are an error. A row without date or source, with
/// a bad price, that is why_not_valid() today, or with a name that stood before is rejected. Throws
/// Error (bad input) with file name and line when the text is not such a catalog at all. `file` is
/// used in messages only, `today` is in UTC.
Catalog parse_catalog(std::string_view csv, const std::string& file, Date today);

/// Holds a catalog that is part of the program: the file's name for messages, and its text.
struct ShippedCatalog {
  std::string_view file;
  std::string_view csv;
};
/// Returns the catalogs of the folder catalog/ as they were when lapcast was built.
std::span<const ShippedCatalog> shipped_catalogs();
/// Returns the text of catalog/papers.csv.
std::string_view papers_catalog();

/// Returns true when the price is older than months_old months on the day today ("2026-11-20").
bool is_old(const Offer& offer, std::string_view today, int months_old = 12);

}  // namespace lapcast
