#include "core/date.h"

#include <algorithm>

#include "core/units.h"

namespace lapcast {
namespace {

/// Returns the number that the text stands for, or -1 when it has characters other than digits.
int digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    value = 10 * value + (c - '0');
  }
  return value;
}

int last_day(int year, int month) {
  using namespace std::chrono;
  return static_cast<int>(static_cast<unsigned>((std::chrono::year{year} / month / last).day()));
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  const bool has_month = text.size() >= 7;
  const bool has_day = text.size() == 10;
  if (!(text.size() == 4 || text.size() == 7 || has_day)) return std::nullopt;
  if ((has_month && text[4] != '-') || (has_day && text[7] != '-')) return std::nullopt;
  Date date{digits(text.substr(0, 4)), has_month ? digits(text.substr(5, 2)) : 12, 0};
  if (date.year < 1970 || date.month < 1 || date.month > 12) return std::nullopt;
  const int last = last_day(date.year, date.month);
  date.day = has_day ? digits(text.substr(8, 2)) : last;
  if (date.day < 1 || date.day > last) return std::nullopt;
  return date;
}

Date date_of(std::chrono::sys_seconds time) {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  return {static_cast<int>(day.year()), static_cast<int>(static_cast<unsigned>(day.month())),
          static_cast<int>(static_cast<unsigned>(day.day()))};
}

std::chrono::sys_days sys_day(Date date) {
  return std::chrono::year{date.year} / date.month / date.day;
}

bool is_future(std::string_view text, Date today) {
  const auto date = parse_date(text);
  if (!date) return false;
  const int month = text.size() >= 7 ? date->month : 1;
  const Date first{date->year, month, text.size() == 10 ? date->day : 1};
  return sys_day(first) > sys_day(today) + std::chrono::days{1};
}

Result<std::chrono::sys_seconds> parse_past_utc(std::string_view text, Date today) {
  const auto time = parse_utc(text);
  if (!time) return because("is not like 2026-11-20T12:00:00Z (UTC)");
  const std::string_view day = text.substr(0, 10);
  if (!parse_date(day)) return because("is before 1970");
  if (is_future(day, today)) return because("is in the future");
  return *time;
}

Date months_later(Date date, int months) {
  const int total = date.year * 12 + date.month - 1 + months;
  const int year = total / 12;
  const int month = total % 12 + 1;
  return {year, month, std::min(date.day, last_day(year, month))};
}

}  // namespace lapcast
