#include "price/catalog.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/units.h"
#include "price/catalog_row.h"
#include "price/csv_rows.h"
#include "price/offer_check.h"

namespace lapcast {
namespace {

[[noreturn]] void refuse(const std::string& file, std::int64_t line, std::string_view what) {
  throw Error(ExitCode::bad_input, fmt::format("{}:{}: {}", printable(file), line, what));
}

std::size_t column_index(const std::string& file, const CsvRow& row, const std::string& name) {
  const auto found = std::find(kCatalogColumns.begin(), kCatalogColumns.end(), name);
  if (found == kCatalogColumns.end()) {
    refuse(file, row.line,
           fmt::format("unknown column '{}'; docs/catalog.md lists the columns of a catalog",
                       printable(name, 40)));
  }
  return static_cast<std::size_t>(found - kCatalogColumns.begin());
}

void require_column(const std::string& file, const CsvRow& row, const CatalogHeader& header,
                    CatalogColumn column) {
  if (header.position[static_cast<std::size_t>(column)] != CatalogHeader::kAbsent) return;
  refuse(file, row.line,
         fmt::format("no column '{}'; a catalog begins with a row of column names",
                     to_string(column)));
}

CatalogHeader header_of(const std::string& file, const CsvRow& row) {
  if (!row.damage.empty()) refuse(file, row.line, row.damage);
  CatalogHeader header;
  header.position.fill(CatalogHeader::kAbsent);
  header.width = row.fields.size();
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    std::size_t& position = header.position[column_index(file, row, row.fields[i])];
    if (position != CatalogHeader::kAbsent) {
      refuse(file, row.line, fmt::format("column '{}' stands twice", row.fields[i]));
    }
    position = i;
  }
  for (const auto column :
       {CatalogColumn::name, CatalogColumn::machine_type, CatalogColumn::price_usd_per_hour,
        CatalogColumn::as_of, CatalogColumn::source}) {
    require_column(file, row, header, column);
  }
  return header;
}

/// Adds rows to a catalog; a name may stand once.
class Builder {
 public:
  Builder(CatalogHeader header, Date today) : header_(header), today_(today) {}

  void add(const CsvRow& row) {
    Result<Offer> offer =
        row.damage.empty() ? offer_of_row(header_, row.fields) : Result<Offer>(because(row.damage));
    if (offer)
      if (const auto reason = why_not_valid(*offer, today_)) offer = tl::unexpected(*reason);
    if (offer) offer = unless_known(std::move(*offer), row.line);
    if (offer) {
      catalog_.offers.push_back(std::move(*offer));
    } else {
      catalog_.rejected.push_back({row.line, offer.error()});
    }
  }

  Catalog take() { return std::move(catalog_); }

 private:
  Result<Offer> unless_known(Offer offer, std::int64_t line) {
    const auto [known, added] = lines_.try_emplace(offer.name, line);
    if (added) return offer;
    return because(fmt::format("name: '{}' stands in line {} already", offer.name, known->second));
  }

  CatalogHeader header_;
  Date today_;
  Catalog catalog_;
  std::unordered_map<std::string, std::int64_t> lines_;
};

}  // namespace

Catalog parse_catalog(std::string_view csv, const std::string& file, Date today) {
  std::optional<Builder> builder;
  for_each_csv_row(csv, [&](const CsvRow& row) {
    if (builder) {
      builder->add(row);
    } else {
      builder.emplace(header_of(file, row), today);
    }
  });
  if (!builder) refuse(file, 1, "the file is empty; a catalog begins with a row of column names");
  return builder->take();
}

std::span<const ShippedCatalog> shipped_catalogs() {
  static const ShippedCatalog kCatalogs[] = {{"papers.csv", papers_catalog()}};
  return kCatalogs;
}

bool is_old(const Offer& offer, std::string_view today, int months_old) {
  const auto as_of = parse_date(offer.as_of);
  const auto now = parse_date(today);
  return as_of && now && months_later(*as_of, months_old) < *now;
}

}  // namespace lapcast
