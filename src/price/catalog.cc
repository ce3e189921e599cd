#include "price/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/units.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

constexpr std::string_view kRequiredColumns[] = {"name", "machine_type", "price_usd_per_hour",
                                                 "as_of", "source"};
constexpr std::string_view kOwnedColumns[] = {
    "purchase_usd", "years", "utilisation", "power_kw", "usd_per_kwh", "running_usd_per_year"};
constexpr std::string_view kSpotColumns[] = {"interruption_hours", "notice"};
constexpr std::string_view kReservedColumns[] = {"term_months", "up_front_usd"};
constexpr std::string_view kOtherPriceColumns[] = {
    "licence_usd_per_hour", "storage_usd_per_gb_month", "snapshots_usd_per_gb_month",
    "egress_usd_per_gb", "tax"};
constexpr std::string_view kSizeColumns[] = {"vcpus", "memory_gib", "accelerator_memory_gib"};
constexpr std::string_view kOtherColumns[] = {"provider",     "service",           "region",
                                              "accelerator",  "accelerator_count", "terms",
                                              "billing_step", "billing_minimum",   "boot"};
constexpr double kMaxBillingSeconds = 366 * 86400;
constexpr int kMaxAccelerators = 1'000'000;
constexpr double kMaxGib = 1e6;

/// Says where each column of a catalog stands in a row.
struct Header {
  std::map<std::string, std::size_t, std::less<>> position;
  std::size_t width = 0;  // fields of a row
};

/// Reads the cells of a row. Keeps the first problem; where a cell has one, its default is
/// returned.
class Cells {
 public:
  Cells(const Header& header, const std::vector<std::string>& fields)
      : header_(header), fields_(fields) {}

  const std::string& problem() const { return problem_; }

  std::string_view raw(std::string_view column) const {
    const auto position = header_.position.find(column);
    return position == header_.position.end() ? std::string_view{} : fields_[position->second];
  }
  bool has(std::string_view column) const { return !raw(column).empty(); }

  void complain(std::string_view column, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", column, what);
  }

  std::string text(std::string_view column) {
    const std::string_view cell = raw(column);
    if (printable(cell, cell.size()) != cell) complain(column, "characters that cannot be shown");
    return std::string(cell);
  }

  std::string required(std::string_view column, std::string_view when_missing) {
    if (!has(column)) complain(column, when_missing);
    return text(column);
  }

  Money money(std::string_view column) {
    const Money amount = parsed(column, Money{}, Money::parse);
    if (amount < Money{}) complain(column, fmt::format("'{}' is negative", raw(column)));
    return amount;
  }

  double number(std::string_view column, double absent) {
    const std::string_view cell = raw(column);
    if (cell.empty()) return absent;
    const auto value = number_in(cell);
    if (!value) complain(column, fmt::format("'{}' is no number", printable(cell, 40)));
    return value.value_or(0);
  }

  std::optional<double> known_number(std::string_view column) {
    if (!has(column)) return std::nullopt;
    return number(column, 0);
  }

  /// Returns the bytes of a number of GiB.
  std::optional<std::int64_t> memory(std::string_view column) {
    const auto gib = known_number(column);
    if (!gib) return std::nullopt;
    if (!(*gib > 0 && *gib <= kMaxGib))
      complain(column, fmt::format("'{}' is no size in GiB", printable(raw(column), 40)));
    return problem_.empty() ? std::llround(*gib * 1073741824.0) : 1;
  }

  int count(std::string_view column) {
    const double value = number(column, 0);
    if (value < 0 || value > kMaxAccelerators || value != std::floor(value)) {
      complain(column, fmt::format("'{}' is no count", printable(raw(column), 40)));
      return 0;
    }
    return static_cast<int>(value);
  }

  double share(std::string_view column) { return parsed(column, 0.0, parse_share); }

  std::int64_t duration_ns(std::string_view column, std::int64_t absent) {
    if (!has(column)) return absent;
    const double seconds = parsed(column, Seconds{}, parse_duration).count();
    if (seconds > kMaxBillingSeconds) complain(column, "longer than a year");
    return std::llround(seconds * 1e9);
  }

 private:
  /// Returns what `parse` makes of the cell; `absent` where it is empty or cannot be parsed.
  template <class T>
  T parsed(std::string_view column, T absent, T (*parse)(std::string_view)) {
    try {
      return has(column) ? parse(raw(column)) : absent;
    } catch (const Error& error) {
      complain(column, printable(error.what()));
      return absent;
    }
  }

  const Header& header_;
  const std::vector<std::string>& fields_;
  std::string problem_;
};

/// Sets the price that follows from the terms.
template <class TermsWithPrice>
void price_by(const TermsWithPrice& terms, Cells& cells, Offer& offer) {
  if (!cells.problem().empty()) return;
  try {
    offer.price = hourly_price(terms);
  } catch (const Error& error) {
    cells.complain("terms", error.what());
  }
}

void read_rented(Cells& cells, Offer& offer) {
  if (!cells.has("price_usd_per_hour")) cells.complain("price_usd_per_hour", "no price");
  offer.price = {cells.money("price_usd_per_hour")};
}

void read_spot(Cells& cells, Offer& offer) {
  read_rented(cells, offer);
  Spot spot;
  spot.hours_between_interruptions = cells.known_number("interruption_hours");
  if (cells.has("notice"))
    spot.notice_s = static_cast<double>(cells.duration_ns("notice", 0)) / 1e9;
  offer.terms = spot;
}

void read_reserved(Cells& cells, Offer& offer) {
  read_rented(cells, offer);
  if (!cells.has("term_months")) cells.complain("term_months", "a reservation needs its months");
  const Reserved terms{.months = cells.count("term_months"),
                       .up_front = cells.money("up_front_usd"),
                       .per_hour = offer.price.per_hour,
                       .utilisation = cells.number("utilisation", 1)};
  offer.terms = terms;
  price_by(terms, cells, offer);
}

void read_owned(Cells& cells, Offer& offer) {
  if (!cells.has("purchase_usd")) cells.complain("purchase_usd", "no purchase price");
  if (!cells.has("years")) cells.complain("years", "no years of use");
  if (cells.has("power_kw") != cells.has("usd_per_kwh")) {
    cells.complain("power_kw", "power_kw and usd_per_kwh need each other");
  }
  if (cells.has("price_usd_per_hour")) {
    cells.complain("price_usd_per_hour", "owned hardware's price follows from its terms");
  }
  const Owned terms{.purchase = cells.money("purchase_usd"),
                    .years = cells.number("years", 0),
                    .utilisation = cells.number("utilisation", 1),
                    .power_kw = cells.number("power_kw", 0),
                    .price_per_kwh = cells.money("usd_per_kwh"),
                    .running_cost_per_year = cells.money("running_usd_per_year")};
  if (!cells.problem().empty()) return;
  offer.terms = terms;
  offer.billing.step_ns = 0;
  price_by(terms, cells, offer);
}

/// Complains of columns that only other terms than the row's have.
void read_no_others(Cells& cells, std::string_view terms) {
  const auto refuse_of = [&](std::string_view owner, const auto& columns) {
    for (const std::string_view column : columns) {
      const bool is_shared = column == "utilisation" && terms == "reserved";
      if (owner != terms && !is_shared && cells.has(column))
        cells.complain(column, fmt::format("only rows with terms '{}' have it", owner));
    }
  };
  refuse_of("owned", kOwnedColumns);
  refuse_of("spot", kSpotColumns);
  refuse_of("reserved", kReservedColumns);
}

void read_terms(Cells& cells, Offer& offer) {
  const std::string_view terms = cells.raw("terms");
  if (terms.empty() || terms == "on-demand" || terms == "on_demand") {
    read_rented(cells, offer);
  } else if (terms == "owned") {
    read_owned(cells, offer);
  } else if (terms == "spot") {
    read_spot(cells, offer);
  } else if (terms == "reserved") {
    read_reserved(cells, offer);
  } else {
    cells.complain("terms", fmt::format("'{}' is none of 'on-demand', 'spot', 'reserved' and "
                                        "'owned'",
                                        printable(terms, 40)));
  }
  read_no_others(cells, name_of(offer.terms));
}

void read_names(Cells& cells, Offer& offer) {
  offer.name = cells.required("name", "no name");
  offer.machine_type = cells.required("machine_type", "no machine type");
  offer.provider = cells.text("provider");
  offer.service = cells.text("service");
  offer.region = cells.text("region");
  offer.accelerator = cells.text("accelerator");
  offer.accelerator_count = cells.count("accelerator_count");
  offer.vcpus = cells.known_number("vcpus");
  offer.memory_bytes = cells.memory("memory_gib");
  offer.accelerator_memory_bytes = cells.memory("accelerator_memory_gib");
}

void read_other_prices(Cells& cells, OtherPrices& other) {
  other.licence = {cells.money("licence_usd_per_hour")};
  other.storage_per_gb_month = cells.money("storage_usd_per_gb_month");
  other.snapshots_per_gb_month = cells.money("snapshots_usd_per_gb_month");
  other.egress_per_gb = cells.money("egress_usd_per_gb");
  other.tax = cells.share("tax");
}

void read_origin(Cells& cells, Offer& offer) {
  offer.as_of = cells.required("as_of", "no date: a price without one cannot be used");
  offer.source = cells.required("source", "no source: a price without one cannot be used");
  if (!offer.as_of.empty() && !parse_date(offer.as_of)) {
    cells.complain("as_of", fmt::format("'{}' is no date like 2021, 2021-02 or 2021-02-03",
                                        printable(offer.as_of, 40)));
  }
}

Result<Offer> offer_of_row(const Header& header, const std::vector<std::string>& fields) {
  if (fields.size() != header.width) {
    return because(fmt::format("{} fields where the header has {}", fields.size(), header.width));
  }
  Cells cells(header, fields);
  Offer offer;
  read_names(cells, offer);
  read_terms(cells, offer);
  offer.billing.step_ns = cells.duration_ns("billing_step", offer.billing.step_ns);
  offer.billing.minimum_ns = cells.duration_ns("billing_minimum", 0);
  offer.boot_ns = cells.duration_ns("boot", 0);
  read_other_prices(cells, offer.other);
  read_origin(cells, offer);
  if (!cells.problem().empty()) return because(cells.problem());
  return offer;
}

[[noreturn]] void refuse(const std::string& file, std::int64_t line, std::string_view what) {
  throw Error(ExitCode::bad_input, fmt::format("{}:{}: {}", printable(file), line, what));
}

bool is_column(std::string_view name) {
  const auto is_in = [name](const auto& columns) {
    return std::ranges::find(columns, name) != std::end(columns);
  };
  return is_in(kRequiredColumns) || is_in(kOwnedColumns) || is_in(kSpotColumns) ||
         is_in(kReservedColumns) || is_in(kOtherPriceColumns) || is_in(kSizeColumns) ||
         is_in(kOtherColumns);
}

Header header_of(const std::string& file, const CsvRow& row) {
  if (!row.damage.empty()) refuse(file, row.line, row.damage);
  Header header{{}, row.fields.size()};
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    const std::string& name = row.fields[i];
    if (!is_column(name))
      refuse(
          file, row.line,
          fmt::format("unknown column '{}'; lapcast help catalog.md lists the columns of a catalog",
                      printable(name, 40)));
    if (!header.position.emplace(name, i).second)
      refuse(file, row.line, fmt::format("column '{}' stands twice", name));
  }
  for (const std::string_view name : kRequiredColumns)
    if (!header.position.contains(name))
      refuse(file, row.line,
             fmt::format("no column '{}'; a catalog begins with a row of column names", name));
  return header;
}

/// Adds rows to a catalog, in which each name may stand once.
class Builder {
 public:
  Builder(Header header, Date today) : header_(header), today_(today) {}

  void add(const CsvRow& row) {
    if (Result<Offer> offer = offer_of(row)) {
      catalog_.offers.push_back(std::move(*offer));
    } else {
      catalog_.rejected.push_back({row.line, offer.error()});
    }
  }

  Catalog take() { return std::move(catalog_); }

 private:
  Result<Offer> offer_of(const CsvRow& row) {
    if (!row.damage.empty()) return because(row.damage);
    Result<Offer> offer = offer_of_row(header_, row.fields);
    if (!offer) return offer;
    if (const auto reason = why_not_valid(*offer, today_)) return tl::unexpected(*reason);
    const auto [known, added] = lines_.try_emplace(offer->name, row.line);
    if (added) return offer;
    return because(fmt::format("name: '{}' stands in line {} already", offer->name, known->second));
  }

  Header header_;
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

bool is_old(const Offer& offer, std::string_view today, int months_old) {
  const auto as_of = parse_date(offer.as_of);
  const auto now = parse_date(today);
  return as_of && now && months_later(*as_of, months_old) < *now;
}

}  // namespace lapcast
