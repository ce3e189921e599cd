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
#include "price/catalog_cells.h"
#include "price/csv_rows.h"
#include "price/offer_room.h"

namespace lapcast {
namespace {

constexpr CatalogColumn kPriceColumns[] = {"price_usd_per_hour", "price_per_hour", "currency"};
constexpr CatalogColumn kOwnedColumns[] = {"purchase_usd", "years",       "utilisation",
                                           "power_kw",     "usd_per_kwh", "running_usd_per_year"};
constexpr CatalogColumn kSpotColumns[] = {"interruption_hours", "notice"};
constexpr CatalogColumn kReservedColumns[] = {"term_months", "up_front_usd"};

/// Holds the listed price of a row, if that is not in US dollars.
using Foreign = std::optional<ForeignPrice>;

/// Sets the price that follows from the terms.
template <class TermsWithPrice>
void price_by(const TermsWithPrice& terms, CatalogCells& cells, Offer& offer) {
  if (!cells.problem().empty()) return;
  try {
    offer.price = hourly_price(terms);
  } catch (const Error& error) {
    cells.complain("terms", error.what());
  }
}

/// Reads the price in the currency that the row names, and returns it in US dollars.
Money converted_price(CatalogCells& cells, const Currencies& currencies, Foreign& foreign) {
  const Money listed = cells.money("price_per_hour");
  const std::string_view code = cells.raw("currency");
  if (code.empty()) cells.complain("currency", "price_per_hour without a currency such as EUR");
  if (code == "USD" || !cells.problem().empty()) return listed;
  const auto rate = currencies.find(code);
  if (rate == currencies.end()) {
    cells.complain("currency",
                   fmt::format("no rate for '{}'; write [currency.{}] into your own "
                               "prices (lapcast help catalog.md)",
                               printable(code, 20), is_currency_code(code) ? code : "EUR"));
    return {};
  }
  foreign = ForeignPrice{listed, std::string(code)};
  try {
    return in_usd(listed, rate->second);
  } catch (const Error& error) {
    cells.complain("price_per_hour", error.what());
    return {};
  }
}

/// Reads the price per hour that rented machines have, in US dollars.
void read_rented(CatalogCells& cells, Offer& offer, const Currencies& currencies,
                 Foreign& foreign) {
  if (cells.has("price_per_hour")) {
    if (cells.has("price_usd_per_hour"))
      cells.complain("price_per_hour", "the row has price_usd_per_hour already");
    offer.price = {converted_price(cells, currencies, foreign)};
    return;
  }
  if (!cells.has("price_usd_per_hour")) cells.complain("price_usd_per_hour", "no price");
  if (cells.has("currency") && cells.raw("currency") != "USD")
    cells.complain("currency", "price_usd_per_hour is in USD; write it into price_per_hour");
  offer.price = {cells.money("price_usd_per_hour")};
}

void read_spot(CatalogCells& cells, Offer& offer) {
  Spot spot;
  spot.hours_between_interruptions = cells.known_number("interruption_hours");
  if (cells.has("notice"))
    spot.notice_s = static_cast<double>(cells.duration_ns("notice", 0)) / 1e9;
  offer.terms = spot;
}

void read_reserved(CatalogCells& cells, Offer& offer) {
  if (!cells.has("term_months")) cells.complain("term_months", "a reservation needs its months");
  const Reserved terms{.months = cells.count("term_months"),
                       .up_front = cells.money("up_front_usd"),
                       .per_hour = offer.price.per_hour,
                       .utilisation = cells.number("utilisation", 1)};
  offer.terms = terms;
  price_by(terms, cells, offer);
}

void read_owned(CatalogCells& cells, Offer& offer) {
  if (!cells.has("purchase_usd")) cells.complain("purchase_usd", "no purchase price");
  if (!cells.has("years")) cells.complain("years", "no years of use");
  if (cells.has("power_kw") != cells.has("usd_per_kwh")) {
    cells.complain("power_kw", "power_kw and usd_per_kwh need each other");
  }
  for (const CatalogColumn column : kPriceColumns)
    if (cells.has(column)) cells.complain(column, "owned hardware's price follows from its terms");
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

/// Complains about columns that only terms other than the row's have.
void read_no_others(CatalogCells& cells, std::string_view terms) {
  const auto refuse_of = [&](std::string_view owner, const auto& columns) {
    for (const CatalogColumn column : columns) {
      const bool is_shared = column.name() == "utilisation" && terms == "reserved";
      if (owner != terms && !is_shared && cells.has(column))
        cells.complain(column, fmt::format("only rows with terms '{}' have it", owner));
    }
  };
  refuse_of("owned", kOwnedColumns);
  refuse_of("spot", kSpotColumns);
  refuse_of("reserved", kReservedColumns);
}

void read_terms(CatalogCells& cells, Offer& offer) {
  const std::string_view terms = cells.raw("terms");
  if (terms.empty() || terms == "on-demand" || terms == "on_demand") {
    offer.terms = OnDemand{};
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

void read_names(CatalogCells& cells, Offer& offer) {
  offer.name = cells.required("name", "no name");
  offer.machine_type = cells.required("machine_type", "no machine type");
  offer.provider = cells.text("provider");
  offer.service = cells.text("service");
  offer.region = cells.text("region");
  offer.accelerator = cells.text("accelerator");
  offer.accelerator_count = cells.count("accelerator_count");
  offer.vcpus = cells.known_number("vcpus");
  offer.memory_bytes = cells.memory("memory_gib", CatalogColumn("memory_bytes"));
  offer.accelerator_memory_bytes = cells.memory("accelerator_memory_gib");
}

void read_other_prices(CatalogCells& cells, OtherPrices& other) {
  other.licence = {cells.money("licence_usd_per_hour")};
  other.storage_per_gb_month = cells.money("storage_usd_per_gb_month");
  other.snapshots_per_gb_month = cells.money("snapshots_usd_per_gb_month");
  other.egress_per_gb = cells.money("egress_usd_per_gb");
  other.tax = cells.share("tax");
}

void read_origin(CatalogCells& cells, Offer& offer) {
  offer.as_of = cells.required("as_of", "no date: a price without one cannot be used");
  offer.source = cells.required("source", "no source: a price without one cannot be used");
  if (!offer.as_of.empty() && !parse_date(offer.as_of)) {
    cells.complain("as_of", fmt::format("'{}' is not a date like 2021, 2021-02 or 2021-02-03",
                                        printable(offer.as_of, 40)));
  }
}

Result<Offer> offer_of_row(const CatalogHeader& header, const std::vector<std::string>& fields,
                           const Currencies& currencies, Foreign& foreign) {
  if (fields.size() != header.width) {
    return because(fmt::format("{} fields where the header has {}", fields.size(), header.width));
  }
  CatalogCells cells(header, fields);
  Offer offer;
  read_names(cells, offer);
  if (cells.raw("terms") != "owned") read_rented(cells, offer, currencies, foreign);
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

CatalogHeader header_of(const std::string& file, const CsvRow& row) {
  if (!row.damage.empty()) refuse(file, row.line, row.damage);
  CatalogHeader header{{}, row.fields.size()};
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    const std::string& name = row.fields[i];
    const auto column = CatalogColumn::index_of(name);
    if (!column)
      refuse(
          file, row.line,
          fmt::format("unknown column '{}'; lapcast help catalog.md lists the columns of a catalog",
                      printable(name, 40)));
    if (std::exchange(header.position[*column], i))
      refuse(file, row.line, fmt::format("column '{}' stands twice", name));
  }
  const auto has = [&](CatalogColumn column) {
    return header.position[column.index()].has_value();
  };
  for (std::size_t i = 0; i < kRequiredColumns; ++i)
    if (!header.position[i])
      refuse(file, row.line,
             fmt::format("no column '{}'; a catalog begins with a row of column names",
                         kColumnNames[i]));
  if (!has("price_per_hour") && !has("price_usd_per_hour"))
    refuse(file, row.line,
           "no column 'price_usd_per_hour'; a catalog begins with a row of column names");
  return header;
}

/// Adds rows to a catalog, in which each name may occur once.
class Builder {
 public:
  /// `rows` is how many there are at most.
  Builder(CatalogHeader header, std::size_t rows, Date today, const Currencies& currencies)
      : header_(std::move(header)), today_(today), currencies_(currencies) {
    catalog_.offers.reserve(std::min(rows, kMostOffers));
    lines_.reserve(std::min(rows, kMostOffers));
  }

  void add(const CsvRow& row) {
    check_offer_count(catalog_.offers.size() + catalog_.rejected.size() + 1);
    Foreign foreign;
    if (Result<Offer> offer = offer_of(row, foreign)) {
      room_.take(*offer);
      if (foreign) catalog_.foreign.emplace(offer->name, *foreign);
      catalog_.offers.push_back(std::move(*offer));
    } else {
      catalog_.rejected.push_back({row.line, offer.error()});
    }
  }

  Catalog take() { return std::move(catalog_); }

 private:
  Result<Offer> offer_of(const CsvRow& row, Foreign& foreign) {
    if (!row.damage.empty()) return because(row.damage);
    Result<Offer> offer = offer_of_row(header_, row.fields, currencies_, foreign);
    if (!offer) return offer;
    if (const auto reason = why_not_valid(*offer, today_)) return tl::unexpected(*reason);
    const auto [known, added] = lines_.try_emplace(offer->name, row.line);
    if (added) return offer;
    return because(fmt::format("name: '{}' stands in line {} already", offer->name, known->second));
  }

  CatalogHeader header_;
  Date today_;
  const Currencies& currencies_;
  Catalog catalog_;
  OfferRoom room_;
  std::unordered_map<std::string, std::int64_t> lines_;
};

}  // namespace

Catalog parse_catalog(std::string_view csv, const std::string& file, Date today,
                      const Currencies& currencies) {
  std::optional<Builder> builder;
  for_each_csv_row(csv, [&](const CsvRow& row) {
    if (!builder) {
      const auto rows = static_cast<std::size_t>(std::ranges::count(csv, '\n'));
      return void(builder.emplace(header_of(file, row), rows, today, currencies));
    }
    try {
      builder->add(row);
    } catch (const Error& error) {
      refuse(file, row.line, error.what());
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
