#include "core/money.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace lapcast {
namespace {

__extension__ using Int128 = __int128;

constexpr int kDecimals = 9;
constexpr std::int64_t kNanosPerDollar = 1'000'000'000;
constexpr std::int64_t kNanosPerCent = kNanosPerDollar / 100;
constexpr Int128 kNsPerHour = Int128{3600} * 1'000'000'000;

Money checked(Int128 nanos) {
  if (nanos < std::numeric_limits<std::int64_t>::min() ||
      nanos > std::numeric_limits<std::int64_t>::max()) {
    throw Error(ExitCode::bad_input,
                "an amount of money is beyond 9.2 billion USD; check prices and times");
  }
  return Money::from_nanos(static_cast<std::int64_t>(nanos));
}

/// Returns value / divisor, rounded half to even. divisor > 0.
Int128 divide_half_even(Int128 value, Int128 divisor) {
  Int128 quotient = value / divisor;
  Int128 twice_rest = 2 * (value % divisor);
  if (twice_rest < 0) twice_rest = -twice_rest;
  const bool up = twice_rest > divisor || (twice_rest == divisor && quotient % 2 != 0);
  return quotient + (up ? (value < 0 ? -1 : 1) : 0);
}

/// Rounds to a whole number of units, halves away from zero, as people do.
std::uint64_t round_to(std::uint64_t nanos, std::uint64_t unit) {
  const std::uint64_t rest = nanos % unit;
  return nanos - rest + (rest >= unit - rest ? unit : 0);
}

std::uint64_t magnitude(Money amount) {
  const auto bits = static_cast<std::uint64_t>(amount.nanos());
  return amount.nanos() < 0 ? 0 - bits : bits;
}

/// Returns the decimal text without trailing zeros beyond min_decimals.
std::string decimal_text(bool negative, std::uint64_t nanos, std::size_t min_decimals) {
  std::string fraction = fmt::format("{:09}", nanos % kNanosPerDollar);
  while (fraction.size() > min_decimals && fraction.back() == '0') fraction.pop_back();
  return fmt::format("{}{}{}{}", negative ? "-" : "", nanos / kNanosPerDollar,
                     fraction.empty() ? "" : ".", fraction);
}

/// Returns the unit that keeps three significant digits of an amount below 1 USD; cents above it.
std::uint64_t printed_unit(std::uint64_t nanos) {
  if (nanos >= kNanosPerDollar) return kNanosPerCent;
  std::uint64_t unit = 1;
  while (nanos / unit >= 1'000) unit *= 10;
  return unit;
}

bool all_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Money Money::parse(std::string_view dollars) {
  const bool negative = dollars.starts_with('-');
  const std::string_view digits = dollars.substr(negative ? 1 : 0);
  const std::size_t point = digits.find('.');
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : digits.substr(point + 1);
  const bool ends_in_point = point != std::string_view::npos && fraction.empty();
  if (whole.empty() || ends_in_point || !all_digits(whole) || !all_digits(fraction) ||
      whole.size() > 18 || fraction.size() > kDecimals) {
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is not an amount in USD; write it like 12.24, with at most 9 "
                            "decimals and without a currency sign",
                            dollars.substr(0, 40)));
  }
  std::string padded(fraction);
  padded.resize(kDecimals, '0');
  std::int64_t units = 0;
  std::int64_t nanos = 0;
  std::from_chars(whole.data(), whole.data() + whole.size(), units);
  std::from_chars(padded.data(), padded.data() + padded.size(), nanos);
  const Int128 amount = Int128{units} * kNanosPerDollar + nanos;
  return checked(negative ? -amount : amount);
}

Money Money::operator+(Money other) const {
  return checked(Int128{nanos_} + other.nanos_);
}
Money Money::operator-(Money other) const {
  return checked(Int128{nanos_} - other.nanos_);
}

Money saturating_sum(Money a, Money b) {
  std::int64_t nanos = 0;
  if (!__builtin_add_overflow(a.nanos(), b.nanos(), &nanos)) return Money::from_nanos(nanos);
  using Limits = std::numeric_limits<std::int64_t>;
  return Money::from_nanos(a < Money{} ? Limits::min() : Limits::max());
}

Money cost_of(HourlyPrice price, std::int64_t ns) {
  return checked(divide_half_even(Int128{price.per_hour.nanos()} * ns, kNsPerHour));
}

Money scaled(Money amount, double factor) {
  if (!std::isfinite(factor)) {
    throw Error(ExitCode::bad_input, "an amount of money is multiplied by a number without limit");
  }
  // The factor is mantissa * 2^exponent exactly, so only the last step rounds.
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  const Int128 product = Int128{amount.nanos()} * mantissa;
  if (exponent < -125 || product == 0) return Money{};
  if (exponent <= 0) return checked(divide_half_even(product, Int128{1} << -exponent));
  checked(product);  // Refuses what is out of range before the shift.
  if (exponent > 11) return checked(Int128{1} << 64);
  return checked(product * (Int128{1} << exponent));
}

std::string exact_decimal(Money amount) {
  return decimal_text(amount.nanos() < 0, magnitude(amount), 0);
}

std::string dollar_text(Money amount) {
  const std::uint64_t nanos = magnitude(amount);
  return (amount.nanos() < 0 ? "-$" : "$") +
         decimal_text(false, round_to(nanos, printed_unit(nanos)), 2);
}

}  // namespace lapcast
