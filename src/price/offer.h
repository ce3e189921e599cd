#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/date.h"
#include "core/error.h"
#include "core/money.h"

namespace lapcast {

/// Describes renting by the hour without a commitment.
struct OnDemand {
  friend bool operator==(const OnDemand&, const OnDemand&) = default;
};

/// Describes owned hardware (Kunas 2023, chapter 4). The price per hour is purchase / (years *
/// 8760 h * utilisation) + power * price per kWh + yearly running cost / 8760 h / utilisation.
struct Owned {
  Money purchase;          // whole purchase price
  double years = 1;        // years of use until it is written off, > 0
  double utilisation = 1;  // share of all hours in which it is used, 0 < u <= 1
  double power_kw = 0;     // electric power while it is used
  Money price_per_kwh;
  Money running_cost_per_year;  // room, service, people
  friend bool operator==(const Owned&, const Owned&) = default;
};

/// Describes renting capacity that the provider may take back: the offer's price is what it costs
/// at its date.
struct Spot {
  std::optional<double> hours_between_interruptions;  // their mean, > 0
  std::optional<double> notice_s;                     // from the warning to the end, >= 0
  friend bool operator==(const Spot&, const Spot&) = default;
};

/// Describes capacity that is paid for in every hour of a term, used or not: a reservation, savings
/// plan or committed use.
struct Reserved {
  int months = 12;  // length of the term, 1 to 120
  Money up_front;
  Money per_hour;          // for each hour of the term
  double utilisation = 1;  // share of the term in which it is used, 0 < u <= 1
  friend bool operator==(const Reserved&, const Reserved&) = default;
};

using Terms = std::variant<OnDemand, Owned, Spot, Reserved>;

/// Returns the name of terms in catalogs and JSON: "on-demand", "owned", "spot" or "reserved".
std::string_view name_of(const Terms& terms);

/// Says how use is turned into billed time: rounded up to whole steps, at least the minimum. A step
/// of 0 bills the exact time, as for owned machines.
struct Billing {
  std::int64_t step_ns = 1'000'000'000;
  std::int64_t minimum_ns = 0;
  friend bool operator==(const Billing&, const Billing&) = default;
};

/// Holds what a provider bills besides the price per hour of a machine. A GB is 10^9 bytes, a month
/// 730 hours.
struct OtherPrices {
  HourlyPrice licence;           // for each billed hour
  Money storage_per_gb_month;    // of a disk, as long as the machine is billed
  Money snapshots_per_gb_month;  // of what is kept after the training
  Money egress_per_gb;           // of what is sent away from the provider
  double tax = 0;                // share of all that is billed, 0 to 1
  friend bool operator==(const OtherPrices&, const OtherPrices&) = default;
};

/// Lists the names of other prices in columns of catalogs and keys of fleet files.
inline constexpr std::string_view kOtherPriceNames[] = {
    "licence_usd_per_hour", "storage_usd_per_gb_month", "snapshots_usd_per_gb_month",
    "egress_usd_per_gb", "tax"};

/// Holds one price for one machine type: a row of a catalog.
struct Offer {
  std::string name;  // unique in its catalog: "aws/ec2/p3.2xlarge/on-demand"
  std::string provider;
  std::string service;
  std::string machine_type;  // that the price is for; rank() says which candidates match
  std::string region;        // empty = not known
  std::string accelerator;   // "V100"; empty = none
  int accelerator_count = 0;
  std::optional<double> vcpus;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> accelerator_memory_bytes;  // of one accelerator
  HourlyPrice price;  // for owned and reserved machines hourly_price(terms)
  Terms terms;
  Billing billing;
  OtherPrices other;
  std::int64_t boot_ns = 0;  // billed time before the program can start
  std::string as_of;         // date of the price: "2021-02", "2026-11-20"; never empty
  std::string source;        // where the price was read; never empty
  friend bool operator==(const Offer&, const Offer&) = default;
};

/// Returns the price per hour of use that follows from the terms of owned hardware. Throws Error
/// (bad input) when years, utilisation, power or an amount is out of range.
HourlyPrice hourly_price(const Owned& terms);

/// Returns the price per hour of use that covers the whole term: (up-front / (months * 730 h) + per
/// hour) / utilisation. Throws Error (bad input) when a member is out of range.
HourlyPrice hourly_price(const Reserved& terms);

/// Returns what one more hour of use adds to the bill: the price of on-demand and spot machines,
/// the electricity of owned ones, nothing for reserved ones, whose hours are paid already.
HourlyPrice marginal_price(const Offer& offer);

/// Returns the offer of that name, else one whose name differs only in upper and lower case;
/// nullptr if there is none.
const Offer* offer_of_name(std::span<const Offer> offers, std::string_view name);

/// Returns why the offer is not valid ("boot is longer than a day"), or nothing when it is. The
/// rules are the same for offers of catalogs, fleet files and runs; docs/money.md lists the
/// bounds. `today` is in UTC.
std::optional<Reason> why_not_valid(const Offer& offer, Date today);

}  // namespace lapcast
