#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <string_view>

namespace lapcast {

/// A day of the calendar.
struct Date {
  int year = 0;
  int month = 0;  // 1..12
  int day = 0;    // 1..31
  friend auto operator<=>(const Date&, const Date&) = default;
};

/// "2021", "2021-02" or "2021-02-03", from 1970 to 9999. What is not said is taken as late as it
/// can be: "2021-02" is 2021-02-28.
std::optional<Date> parse_date(std::string_view text);

/// Returns the day of a time, in UTC.
Date date_of(std::chrono::sys_seconds time);

/// Returns true when even the first day that a date text can mean ("2021-02" is from 2021-02-01 on)
/// is more than a day after `today`. The day of grace is for time zones that are ahead of UTC. False
/// for what is no date.
bool is_future(std::string_view date, Date today);

/// The day that many months later, the last of that month where it is shorter.
Date months_later(Date date, int months);

}  // namespace lapcast
