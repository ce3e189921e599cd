#include "price/catalog_row.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "core/units.h"
#include "price/date.h"

namespace lapcast {
namespace {

using Column = CatalogColumn;

constexpr double kMaxBillingSeconds = 366 * 86400;
constexpr int kMaxAccelerators = 1'000'000;

/// Reads the cells of a row; keeps the first problem and returns defaults from there on.
class Cells {
 public:
  Cells(const CatalogHeader& header, const std::vector<std::string>& fields)
      : header_(header), fields_(fields) {}

  const std::string& problem() const { return problem_; }

  std::string_view raw(Column column) const {
    const std::size_t at = header_.position[static_cast<std::size_t>(column)];
    return at < fields_.size() ? std::string_view(fields_[at]) : std::string_view{};
  }
  bool has(Column column) const { return !raw(column).empty(); }

  void complain(Column column, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", to_string(column), what);
  }

  std::string text(Column column) {
    const std::string_view cell = raw(column);
    if (printable(cell, cell.size()) != cell) complain(column, "characters that cannot be shown");
    return std::string(cell);
  }

  std::string required(Column column, std::string_view when_missing) {
    if (!has(column)) complain(column, when_missing);
    return text(column);
  }

  Money money(Column column) {
    if (!has(column)) return Money{};
    try {
      const Money amount = Money::parse(raw(column));
      if (amount < Money{}) complain(column, fmt::format("'{}' is negative", raw(column)));
      return amount;
    } catch (const Error& error) {
      complain(column, printable(error.what()));
      return Money{};
    }
  }

  double number(Column column, double absent) {
    const std::string_view cell = raw(column);
    if (cell.empty()) return absent;
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
      complain(column, fmt::format("'{}' is no number", printable(cell, 40)));
    }
    return value;
  }

  int count(Column column) {
    const double value = number(column, 0);
    if (value < 0 || value > kMaxAccelerators || value != std::floor(value)) {
      complain(column, fmt::format("'{}' is no count", printable(raw(column), 40)));
      return 0;
    }
    return static_cast<int>(value);
  }

  std::int64_t duration_ns(Column column, std::int64_t absent) {
    if (!has(column)) return absent;
    try {
      const double seconds = parse_duration(raw(column)).count();
      if (seconds > kMaxBillingSeconds) complain(column, "longer than a year");
      return std::llround(seconds * 1e9);
    } catch (const Error& error) {
      complain(column, error.what());
      return absent;
    }
  }

 private:
  const CatalogHeader& header_;
  const std::vector<std::string>& fields_;
  std::string problem_;
};

constexpr Column kOwnedColumns[] = {Column::purchase_usd, Column::years,
                                    Column::utilisation,  Column::power_kw,
                                    Column::usd_per_kwh,  Column::running_usd_per_year};

void read_on_demand(Cells& cells, Offer& offer) {
  offer.terms = OnDemand{};
  if (!cells.has(Column::price_usd_per_hour)) {
    cells.complain(Column::price_usd_per_hour, "no price");
  }
  offer.price = {cells.money(Column::price_usd_per_hour)};
  for (const Column column : kOwnedColumns) {
    if (cells.has(column)) cells.complain(column, "only rows with terms 'owned' have it");
  }
}

Owned owned_terms(Cells& cells) {
  Owned terms;
  terms.purchase = cells.money(Column::purchase_usd);
  terms.years = cells.number(Column::years, 0);
  terms.utilisation = cells.number(Column::utilisation, 1);
  terms.power_kw = cells.number(Column::power_kw, 0);
  terms.price_per_kwh = cells.money(Column::usd_per_kwh);
  terms.running_cost_per_year = cells.money(Column::running_usd_per_year);
  return terms;
}

void read_owned(Cells& cells, Offer& offer) {
  if (!cells.has(Column::purchase_usd)) cells.complain(Column::purchase_usd, "no purchase price");
  if (!cells.has(Column::years)) cells.complain(Column::years, "no years of use");
  if (cells.has(Column::power_kw) != cells.has(Column::usd_per_kwh)) {
    cells.complain(Column::power_kw, "power_kw and usd_per_kwh need each other");
  }
  if (cells.has(Column::price_usd_per_hour)) {
    cells.complain(Column::price_usd_per_hour, "owned hardware's price follows from its terms");
  }
  const Owned terms = owned_terms(cells);
  if (!cells.problem().empty()) return;
  offer.terms = terms;
  offer.billing.step_ns = 0;
  try {
    offer.price = hourly_price(terms);
  } catch (const Error& error) {
    cells.complain(Column::terms, error.what());
  }
}

void read_terms(Cells& cells, Offer& offer) {
  const std::string_view terms = cells.raw(Column::terms);
  if (terms.empty() || terms == "on-demand" || terms == "on_demand") {
    read_on_demand(cells, offer);
  } else if (terms == "owned") {
    read_owned(cells, offer);
  } else {
    cells.complain(Column::terms,
                   fmt::format("'{}' is neither 'on-demand' nor 'owned'", printable(terms, 40)));
  }
}

void read_names(Cells& cells, Offer& offer) {
  offer.name = cells.required(Column::name, "no name");
  offer.machine_type = cells.required(Column::machine_type, "no machine type");
  offer.provider = cells.text(Column::provider);
  offer.service = cells.text(Column::service);
  offer.region = cells.text(Column::region);
  offer.accelerator = cells.text(Column::accelerator);
  offer.accelerator_count = cells.count(Column::accelerator_count);
}

void read_origin(Cells& cells, Offer& offer) {
  offer.as_of = cells.required(Column::as_of, "no date: a price without one cannot be used");
  offer.source = cells.required(Column::source, "no source: a price without one cannot be used");
  if (!offer.as_of.empty() && !parse_date(offer.as_of)) {
    cells.complain(Column::as_of, fmt::format("'{}' is no date like 2021, 2021-02 or 2021-02-03",
                                              printable(offer.as_of, 40)));
  }
}

}  // namespace

Result<Offer> offer_of_row(const CatalogHeader& header, const std::vector<std::string>& fields) {
  if (fields.size() != header.width) {
    return because(fmt::format("{} fields where the header has {}", fields.size(), header.width));
  }
  Cells cells(header, fields);
  Offer offer;
  read_names(cells, offer);
  read_terms(cells, offer);
  offer.billing.step_ns = cells.duration_ns(Column::billing_step, offer.billing.step_ns);
  offer.billing.minimum_ns = cells.duration_ns(Column::billing_minimum, 0);
  offer.boot_ns = cells.duration_ns(Column::boot, 0);
  read_origin(cells, offer);
  if (!cells.problem().empty()) return because(cells.problem());
  return offer;
}

}  // namespace lapcast
