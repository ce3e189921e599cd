#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/money.h"
#include "price/offer.h"

namespace lapcast {

/// Names every column of a catalog once, those that stand in each catalog first; kOtherPriceNames
/// are columns, too.
inline constexpr std::size_t kRequiredColumns = 4;
inline constexpr std::string_view kColumnNames[] = {
    "name",           "machine_type",      "as_of",        "source",
    "provider",       "service",           "region",       "accelerator",
    "vcpus",          "memory_gib",        "memory_bytes", "accelerator_memory_gib",
    "boot",           "billing_step",      "terms",        "accelerator_count",
    "years",          "purchase_usd",      "utilisation",  "billing_minimum",
    "power_kw",       "usd_per_kwh",       "term_months",  "running_usd_per_year",
    "notice",         "up_front_usd",      "currency",     "interruption_hours",
    "price_per_hour", "price_usd_per_hour"};
inline constexpr std::size_t kColumns = std::size(kColumnNames) + std::size(kOtherPriceNames);

/// Is a column of catalogs. The compiler looks its name up, and refuses one that is not a column.
class CatalogColumn {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a name stands for its column.
  consteval CatalogColumn(const char* name) : index_(index_of(name).value()) {}

  /// Returns the number of the column of that name, from 0; nothing if there is none.
  static constexpr std::optional<std::size_t> index_of(std::string_view name) {
    for (std::size_t i = 0; i < kColumns; ++i)
      if (name_of(i) == name) return i;
    return std::nullopt;
  }
  constexpr std::size_t index() const { return index_; }
  constexpr std::string_view name() const { return name_of(index_); }

 private:
  static constexpr std::string_view name_of(std::size_t index) {
    return index < std::size(kColumnNames) ? kColumnNames[index]
                                           : kOtherPriceNames[index - std::size(kColumnNames)];
  }

  std::size_t index_;
};

/// Says where each column of a catalog is in a row.
struct CatalogHeader {
  std::array<std::optional<std::size_t>, kColumns> position;  // by the column's number
  std::size_t width = 0;                                      // fields of a row
};

/// Reads the cells of a row of a catalog. Keeps the first problem; a cell with a problem is read as
/// its default. It must not outlive the header and the fields.
class CatalogCells {
 public:
  CatalogCells(const CatalogHeader& header, const std::vector<std::string>& fields)
      : header_(header), fields_(fields) {}

  /// Returns what is wrong with the row, such as "boot: longer than a year"; empty = nothing so
  /// far.
  const std::string& problem() const { return problem_; }
  void complain(CatalogColumn column, std::string_view what);

  /// Returns the text of the cell; empty if the row has no such column.
  std::string_view raw(CatalogColumn column) const {
    const auto position = header_.position[column.index()];
    return position ? std::string_view(fields_[*position]) : std::string_view{};
  }
  bool has(CatalogColumn column) const { return !raw(column).empty(); }

  std::string text(CatalogColumn column);
  std::string required(CatalogColumn column, std::string_view when_missing);
  /// Returns an amount that is not negative, in the currency of the column.
  Money money(CatalogColumn column);
  double number(CatalogColumn column, double absent);
  std::optional<double> known_number(CatalogColumn column);
  /// Returns bytes of a column in GiB, or of another one in bytes where the row has that.
  std::optional<std::int64_t> memory(CatalogColumn column,
                                     std::optional<CatalogColumn> column_of_bytes = {});
  int count(CatalogColumn column);
  /// Returns a share from 0 to 1, written as "19%" or "0.19".
  double share(CatalogColumn column);
  std::int64_t duration_ns(CatalogColumn column, std::int64_t absent);

 private:
  const CatalogHeader& header_;
  const std::vector<std::string>& fields_;
  std::string problem_;
};

}  // namespace lapcast
