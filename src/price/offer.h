#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/money.h"

namespace lapcast {

/// Describes renting by the hour without a commitment.
struct OnDemand {
  friend bool operator==(const OnDemand&, const OnDemand&) = default;
};

/// Describes owned hardware (Kuenas 2023, chapter 4): price per hour = purchase / (years * 8760 h *
/// utilisation)
/// + power * price per kWh + yearly running cost / 8760 h / utilisation.
struct Owned {
  Money purchase;          // whole purchase price
  double years = 1;        // of use until written off, > 0
  double utilisation = 1;  // share of all hours in which it is used, 0 < u <= 1
  double power_kw = 0;     // while in use
  Money price_per_kwh;
  Money running_cost_per_year;  // room, service, people
  friend bool operator==(const Owned&, const Owned&) = default;
};

using Terms = std::variant<OnDemand, Owned>;

/// Says how use is turned into billed time: rounded up to whole steps, at least the minimum. A step
/// of 0 bills the exact time, as for owned machines.
struct Billing {
  std::int64_t step_ns = 1'000'000'000;
  std::int64_t minimum_ns = 0;
  friend bool operator==(const Billing&, const Billing&) = default;
};

/// Holds one price for one machine type: a row of a catalog.
struct Offer {
  std::string name;  // unique in its catalog: "aws/ec2/p3.2xlarge/on-demand"
  std::string provider;
  std::string service;
  std::string machine_type;  // what a MachineType's name or `offer` is matched with
  std::string region;        // empty = not said
  std::string accelerator;
  int accelerator_count = 0;
  HourlyPrice price;  // for Owned: follows from its terms
  Terms terms;
  Billing billing;
  std::int64_t boot_ns = 0;  // billed time before the program can start
  std::string as_of;         // "2021-02", "2026-11-20": when the price was true; never empty
  std::string source;        // where it was read; never empty
  friend bool operator==(const Offer&, const Offer&) = default;
};

/// Returns the price per hour that follows from the terms of owned hardware. Throws Error when
/// years, utilisation or an amount is out of range.
HourlyPrice hourly_price(const Owned& terms);

}  // namespace lapcast
