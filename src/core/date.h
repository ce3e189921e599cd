#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace lapcast {

struct Date {
  int year = 0;
  int month = 0;  // 1..12
  int day = 0;    // 1..31
  friend auto operator<=>(const Date&, const Date&) = default;
};

/// Parses "2021", "2021-02" or "2021-02-03", from 1970 to 9999. A missing month or day is the last
/// one: "2021-02" is 2021-02-28. Returns nothing for any other text.
std::optional<Date> parse_date(std::string_view text);

/// Returns the day of a time, in UTC.
Date date_of(std::chrono::sys_seconds time);

std::chrono::sys_days sys_day(Date date);

/// Returns true when even the first day that a date text can mean ("2021-02" is from 2021-02-01 on)
/// is more than a day after `today`; the extra day allows for time zones ahead of UTC. Returns
/// false for text that is not a date.
bool is_future(std::string_view date, Date today);

/// Parses a time such as "2026-11-20T12:00:00Z" whose day a price may have: from 1970 on, and not
/// is_future(). The reason says what is wrong with it.
Result<std::chrono::sys_seconds> parse_past_utc(std::string_view text, Date today);

/// Returns the same day of the month `months` >= 0 later, or the last day of that month where it is
/// shorter.
Date months_later(Date date, int months);

}  // namespace lapcast
