#include "price/catalog_cells.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kMaxBillingSeconds = 366 * 86400;
constexpr int kMaxAccelerators = 1'000'000;
constexpr double kMaxGib = 1e6;

/// Returns the cell as read by parse(); `absent` if it is empty or cannot be parsed.
template <class T>
T parsed_cell(CatalogCells& cells, CatalogColumn column, T absent, T (*parse)(std::string_view)) {
  try {
    return cells.has(column) ? parse(cells.raw(column)) : absent;
  } catch (const Error& error) {
    cells.complain(column, printable(error.what()));
    return absent;
  }
}

}  // namespace

void CatalogCells::complain(CatalogColumn column, std::string_view what) {
  if (problem_.empty()) problem_ = fmt::format("{}: {}", column.name(), what);
}

std::string CatalogCells::text(CatalogColumn column) {
  const std::string_view cell = raw(column);
  if (printable(cell, cell.size()) != cell) complain(column, "characters that cannot be shown");
  return std::string(cell);
}

std::string CatalogCells::required(CatalogColumn column, std::string_view when_missing) {
  if (!has(column)) complain(column, when_missing);
  return text(column);
}

Money CatalogCells::money(CatalogColumn column) {
  const Money amount = parsed_cell(*this, column, Money{}, Money::parse);
  if (amount < Money{}) complain(column, fmt::format("'{}' is negative", raw(column)));
  return amount;
}

double CatalogCells::number(CatalogColumn column, double absent) {
  const std::string_view cell = raw(column);
  if (cell.empty()) return absent;
  const auto value = number_in(cell);
  if (!value) complain(column, fmt::format("'{}' is not a number", printable(cell, 40)));
  return value.value_or(0);
}

std::optional<double> CatalogCells::known_number(CatalogColumn column) {
  if (!has(column)) return std::nullopt;
  return number(column, 0);
}

std::optional<std::int64_t> CatalogCells::memory(CatalogColumn column,
                                                 std::optional<CatalogColumn> column_of_bytes) {
  const bool in_bytes = column_of_bytes && has(*column_of_bytes);
  auto gib = known_number(in_bytes ? *column_of_bytes : column);
  if (!gib) return std::nullopt;
  if (in_bytes) *gib /= 1073741824.0;
  if (!(*gib > 0 && *gib <= kMaxGib))
    complain(column, fmt::format("'{}' is not a size in GiB", printable(raw(column), 40)));
  return problem_.empty() ? std::llround(*gib * 1073741824.0) : 1;
}

int CatalogCells::count(CatalogColumn column) {
  const double value = number(column, 0);
  if (value < 0 || value > kMaxAccelerators || value != std::floor(value)) {
    complain(column, fmt::format("'{}' is not a count", printable(raw(column), 40)));
    return 0;
  }
  return static_cast<int>(value);
}

double CatalogCells::share(CatalogColumn column) {
  return parsed_cell(*this, column, 0.0, parse_share);
}

std::int64_t CatalogCells::duration_ns(CatalogColumn column, std::int64_t absent) {
  if (!has(column)) return absent;
  const double seconds = parsed_cell(*this, column, Seconds{}, parse_duration).count();
  if (seconds > kMaxBillingSeconds) complain(column, "longer than a year");
  return std::llround(seconds * 1e9);
}

}  // namespace lapcast
