#include "core/moment.h"

#include <re2/re2.h>

#include <chrono>
#include <string>

namespace lapcast {

std::optional<double> parse_moment(std::string_view text, double ahead_s) {
  static const RE2 pattern(
      R"(\s*(\d{4})([-/])(\d{1,2})([-/])(\d{1,2})[T ]\s*(\d{1,2}):(\d{2}):(\d{2}))"
      R"((\.\d{1,9})?\s*(Z|UTC|([+-])(\d{2}):?(\d{2}))?\s*)");
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::string first_mark, second_mark, part, zone, sign, hours_off, minutes_off;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern, &year, &first_mark,
                      &month, &second_mark, &day, &hour, &minute, &second, &part, &zone, &sign,
                      &hours_off, &minutes_off) ||
      first_mark != second_mark)
    return std::nullopt;
  const auto date = std::chrono::year{year} / month / day;
  if (!date.ok() || year < 1970 || year > 2200 || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  double seconds = static_cast<double>(days) * 86400 + hour * 3600 + minute * 60 + second;
  if (!part.empty()) seconds += std::stod("0" + part);
  if (!sign.empty()) {
    const double off = std::stod(hours_off) * 3600 + std::stod(minutes_off) * 60;
    seconds -= sign == "-" ? -off : off;
  }
  return zone.empty() ? seconds - ahead_s : seconds;
}

}  // namespace lapcast
