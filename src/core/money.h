#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/seconds.h"

namespace lapcast {

/// An exact amount of US dollars: a whole number of nano-dollars (1e-9 USD), so that sums, orders
/// and stored values are exact and rounding happens only at printing. Range +-9.2 billion USD;
/// arithmetic beyond it throws Error.
class Money {
 public:
  constexpr Money() = default;
  static constexpr Money from_nanos(std::int64_t nanos) { return Money{nanos}; }
  /// Parses a decimal number of dollars such as "12.24" or "0.0031" with at most 9 decimals, an
  /// optional leading '-'. Throws Error (bad input) for anything else, exponents and signs like
  /// '$' included.
  static Money parse(std::string_view dollars);

  constexpr std::int64_t nanos() const { return nanos_; }
  /// For statistics and charts only; never for sums.
  constexpr double dollars() const { return static_cast<double>(nanos_) * 1e-9; }

  Money operator+(Money other) const;
  Money operator-(Money other) const;
  Money& operator+=(Money other) { return *this = *this + other; }
  friend constexpr auto operator<=>(const Money&, const Money&) = default;

 private:
  constexpr explicit Money(std::int64_t nanos) : nanos_(nanos) {}
  std::int64_t nanos_ = 0;
};

/// A price in nano-dollars per hour of use.
struct HourlyPrice {
  Money per_hour;
  friend constexpr auto operator<=>(const HourlyPrice&, const HourlyPrice&) = default;
};

/// price * ns / 1 hour, rounded half to even to the nano-dollar: the one place where an amount is
/// rounded before printing. ns >= 0. Throws Error when the amount is out of range.
Money cost_of(HourlyPrice price, std::int64_t ns);

/// factor * amount, rounded half to even to the nano-dollar. Throws Error when out of range or when
/// factor is not finite.
Money scaled(Money amount, double factor);

/// Returns a + b, or the nearest amount in range where the sum is not: bills of many runs are added
/// up for a table, which has to be shown whatever they come to.
Money saturating_sum(Money a, Money b);

/// The shortest exact decimal, such as "12.24", "0.000000001", "-3": parse() reads it back.
std::string exact_decimal(Money amount);

/// Rounded for people: cents from 1 USD on, four significant digits below, such as "12.24",
/// "0.003142", "0.00". Without a currency sign.
std::string rounded_decimal(Money amount);

}  // namespace lapcast
