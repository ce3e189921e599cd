#include "core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "core/display_width.h"
#include "core/error.h"

namespace lapcast {
namespace {

constexpr double kMaxSeconds = 100.0 * 365.25 * 86400;

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
  throw Error(ExitCode::usage, fmt::format("'{}' is {}", printable(text, 40), what));
}

/// Splits a text into the number at its front, without sign and exponent, and the unit behind it.
std::optional<std::pair<double, std::string_view>> number_and_unit(std::string_view text) {
  double number = 0;
  if (text.empty() || text.front() < '.' || text.front() > '9') return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  return std::pair{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

using Unit = std::pair<std::string_view, double>;
constexpr Unit kDurationUnits[] = {{"", 1},     {"s", 1},    {"ms", 1e-3}, {"m", 60},
                                   {"min", 60}, {"h", 3600}, {"d", 86400}};
constexpr Unit kSpeedUnits[] = {{"B/s", 1},         {"kB/s", 1e3},       {"MB/s", 1e6},
                                {"GB/s", 1e9},      {"KiB/s", 0x1p10},   {"MiB/s", 0x1p20},
                                {"GiB/s", 0x1p30},  {"kbit/s", 1e3 / 8}, {"Mbit/s", 1e6 / 8},
                                {"Gbit/s", 1e9 / 8}};
constexpr Unit kByteUnits[] = {{"", 1},         {"B", 1},       {"kB", 1e3},     {"MB", 1e6},
                               {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
                               {"GiB", 0x1p30}, {"TiB", 0x1p40}};

/// Returns the number at the front of a text in the unit that follows it, if both are known.
std::optional<double> amount_of(std::string_view text, std::span<const Unit> units) {
  const auto parsed = number_and_unit(text);
  for (const auto& [name, size] : units)
    if (parsed && parsed->second == name) return parsed->first * size;
  return std::nullopt;
}

/// Returns three significant digits; a number that rounds to 1000 keeps four.
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string short_duration(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string long_duration(double seconds) {
  if (seconds < 3599.5) {
    const double whole = std::round(seconds);
    const double minutes = std::floor(whole / 60);
    return fmt::format("{:.0f} min {:02.0f} s", minutes, whole - 60 * minutes);
  }
  if (seconds < 86400 - 30) {
    const double whole = std::round(seconds / 60);
    const double hours = std::floor(whole / 60);
    return fmt::format("{:.0f} h {:02.0f} min", hours, whole - 60 * hours);
  }
  if (seconds >= kMaxSeconds) return fmt::format("{:.3g} years", seconds / (365.25 * 86400));
  const double whole = std::round(seconds / 3600);
  const double days = std::floor(whole / 24);
  return fmt::format("{:.0f} d {:.0f} h", days, whole - 24 * days);
}

/// Returns the length of the escape sequence at the front of text, which starts with ESC; at least
/// 1. What does not end within 256 bytes is not a sequence.
std::size_t escape_length(std::string_view text) {
  text = text.substr(0, 256);
  if (text.size() < 2) return 1;
  if (text[1] == '[') {  // CSI: parameters, then one final byte @ to ~
    std::size_t end = 2;
    while (end < text.size() && text[end] >= ' ' && text[end] <= '?') ++end;
    return end < text.size() && text[end] >= '@' && text[end] <= '~' ? end + 1 : end;
  }
  if (text[1] == ']') {  // OSC: up to BEL or ESC backslash
    const std::size_t bell = text.find('\a');
    const std::size_t end = text.find("\x1b\\", 1);
    if (bell < end) return bell + 1;
    return end == std::string_view::npos ? 2 : end + 2;
  }
  return 1;
}

/// Returns true for C0 and C1 controls, line and paragraph separators, and marks that reorder text.
bool unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         reorders_text(c);
}

}  // namespace

Seconds parse_duration(std::string_view text) {
  const auto seconds = amount_of(text, kDurationUnits);
  if (!seconds) refuse(text, "not a duration; write it like 90s, 1.5m, 2h, 3d or 250ms");
  if (*seconds > kMaxSeconds) refuse(text, "longer than 100 years");
  return Seconds{*seconds};
}

std::int64_t parse_bytes(std::string_view text) {
  std::string joined(text);
  if (const std::size_t blank = joined.find(' '); blank != joined.npos) joined.erase(blank, 1);
  const auto bytes = amount_of(joined, kByteUnits);
  if (!bytes) refuse(text, "not a size; write it like 1500, 20 kB, 1.5 GB or 4 GiB");
  if (*bytes > 0x1p60) refuse(text, "more than 2^60 bytes");
  return std::llround(*bytes);
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number)) return std::nullopt;
  return number;
}

double parse_speed(std::string_view text) {
  std::string joined(text);
  if (const std::size_t blank = joined.find(' '); blank != joined.npos) joined.erase(blank, 1);
  const auto speed = amount_of(joined, kSpeedUnits);
  if (!speed || !(*speed > 0) || *speed > 0x1p50)
    refuse(text, "not a speed of a link; write it like 8.75 MB/s or 70 Mbit/s");
  return *speed;
}

double parse_share(std::string_view text) {
  const auto parsed = number_and_unit(text);
  const bool percent = parsed && parsed->second == "%";
  if (!parsed || !(percent || parsed->second.empty())) {
    refuse(text, "not a share; write it like 2% or 0.02");
  }
  const double share = percent ? parsed->first / 100 : parsed->first;
  if (share > 1) refuse(text, "more than 100 %");
  return share;
}

std::string format_duration(Seconds time) {
  const double seconds = std::abs(time.count());
  if (!std::isfinite(seconds)) return "no limit";
  const std::string sign = time.count() < 0 ? "-" : "";
  return sign + (seconds < 59.95 ? short_duration(seconds) : long_duration(seconds));
}

std::string utc_text(std::chrono::sys_seconds time) {
  using namespace std::chrono;
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<std::chrono::sys_seconds> parse_utc(std::string_view text) {
  using namespace std::chrono;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(std::string(text).c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour,
                  &minute, &second) != 6)
    return std::nullopt;
  const auto date = std::chrono::year{year} / month / day;
  const sys_seconds time = sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
  if (!date.ok() || utc_text(time) != text) return std::nullopt;  // such as 12:60, or a sign
  return time;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (std::abs(value) >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_share(double share) {
  const double percent = share * 100;
  if (!std::isfinite(percent)) return "not known";
  if (std::abs(percent) < 1e-4) return "0 %";
  if (std::abs(percent) >= 9.95) return fmt::format("{:.0f} %", percent);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(percent))));
  std::string text = fmt::format("{:.{}f}", percent, 1 - exponent);
  if (exponent < 0 && text.back() == '0') text.pop_back();
  return text + " %";
}

int decimals_for(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int digits_before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return std::clamp(3 - digits_before, 0, 9);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return "not known";
  std::string text = fmt::format("{:.{}f}", value, decimals_for(value));
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string format_chance(double probability) {
  if (!std::isfinite(probability)) return "not known";
  if (probability > 0.99) return "> 99 %";
  return probability < 0.01 ? "< 1 %" : fmt::format("{:.0f} %", 100 * probability);
}

std::string short_list(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i > 0 ? ", " : "") + printable(names[i]);
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string printable(std::string_view text, std::size_t max_columns) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.size() <= max_columns && std::ranges::all_of(text, is_plain)) return std::string(text);
  constexpr std::string_view kDots = "...";
  std::string safe;
  std::size_t width = 0;
  std::size_t bytes_before_dots = 0;  // of `safe`, after which the dots still fit
  while (!text.empty()) {
    std::string_view piece = "?";
    std::size_t columns = 1;
    std::size_t used = 1;
    if (text.front() == '\n' || text.front() == '\r' || text.front() == '\t') {
      piece = " ";
    } else if (text.front() == '\x1b') {
      used = escape_length(text);
    } else if (const CodePoint c = decode_utf8(text); c.length > 0) {
      used = c.length;
      if (!unsafe(c.value)) {
        piece = text.substr(0, used);
        columns = display_width(c.value);
      }
    }
    // Marks take no columns, so bytes are limited, too.
    if (width + columns > max_columns || safe.size() + piece.size() > 4 * max_columns) {
      safe.resize(bytes_before_dots);
      return safe.append(kDots.substr(0, max_columns));
    }
    safe += piece;
    width += columns;
    if (width + kDots.size() <= max_columns) bytes_before_dots = safe.size();
    text.remove_prefix(used);
  }
  return safe;
}

}  // namespace lapcast
