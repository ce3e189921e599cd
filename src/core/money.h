#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/seconds.h"

namespace lapcast {

/// Holds an exact amount of US dollars: a whole number of nano-dollars (1e-9 USD), so that sums,
/// orders and stored values are exact and rounding happens only at printing. The range is
/// +-9.2 billion USD; arithmetic beyond it throws Error.
class Money {
 public:
  constexpr Money() = default;
  static constexpr Money from_nanos(std::int64_t nanos) { return Money{nanos}; }
  /// Parses a decimal number of dollars such as "12.24" or "0.0031" with at most 9 decimals, an
  /// optional leading '-'. Throws Error (bad input) for anything else, exponents and signs like
  /// '$' included.
  static Money parse(std::string_view dollars);

  constexpr std::int64_t nanos() const { return nanos_; }
  /// Returns the amount in dollars, for statistics and charts only; never for sums.
  constexpr double dollars() const { return static_cast<double>(nanos_) * 1e-9; }

  Money operator+(Money other) const;
  Money operator-(Money other) const;
  Money& operator+=(Money other) { return *this = *this + other; }
  friend constexpr auto operator<=>(const Money&, const Money&) = default;

 private:
  constexpr explicit Money(std::int64_t nanos) : nanos_(nanos) {}
  std::int64_t nanos_ = 0;
};

struct HourlyPrice {
  Money per_hour;
  friend constexpr auto operator<=>(const HourlyPrice&, const HourlyPrice&) = default;
};

/// Returns price * ns / 1 hour, rounded half to even to the nano-dollar. No other function rounds
/// an amount before it is printed. ns >= 0. Throws Error when the amount is out of range.
Money cost_of(HourlyPrice price, std::int64_t ns);

/// Returns factor * amount, rounded half to even to the nano-dollar. Throws Error when it is out of
/// range or when factor is not finite.
Money scaled(Money amount, double factor);

/// Returns a + b, or the nearest amount in range where the sum is out of range. Tables use it to
/// show the bills of many runs, whatever their sum.
Money saturating_sum(Money a, Money b);

/// Returns the shortest exact decimal, such as "12.24", "0.000000001", "-3". parse() reads it back.
std::string exact_decimal(Money amount);

/// Returns the amount rounded for people: cents from 1 USD on, three significant digits below, such
/// as "$12.24", "$0.00314", "-$0.20".
std::string dollar_text(Money amount);

}  // namespace lapcast
