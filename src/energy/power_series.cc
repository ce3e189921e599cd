#include "energy/power_series.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/lower_case.h"
#include "core/moment.h"
#include "price/csv_rows.h"
#include "stats/noise.h"

namespace lapcast {
namespace {

constexpr double kLaterSeconds = 0.04;  // docs/money.md, `./bench energy-forecast`

std::optional<double> number_of(const std::string& text) {
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    if (used == text.size()) return value;
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> time_of(const std::string& text, double ahead_s) {
  const auto moment = parse_moment(text, ahead_s);
  return moment ? moment : number_of(text);
}

/// Returns the power in W of "300.00" or "300.00 W".
std::optional<double> watts_of(std::string text) {
  if (text.ends_with(" W")) text.resize(text.size() - 2);
  return number_of(text);
}

/// Says which columns of a meter's file have the time and the power.
struct MeterColumns {
  std::size_t time = 0;
  std::size_t power = 1;

  /// Finds them in a first line; nothing where it names none.
  static std::optional<MeterColumns> named_by(const std::vector<std::string>& fields) {
    const auto with = [&](std::initializer_list<std::string_view> words) {
      const auto found = std::ranges::find_if(fields, [&](const std::string& field) {
        const std::string name = lower_case(field);
        return std::ranges::any_of(words, [&](auto word) { return name.starts_with(word); });
      });
      return static_cast<std::size_t>(found - fields.begin());
    };
    const MeterColumns found{with({"time", "date"}), with({"power", "watt"})};
    if (std::max(found.time, found.power) >= fields.size()) return std::nullopt;
    return found;
  }
};

/// Returns how many lines a moment has where all moments but the last have as many, with gaps
/// between them that are at least five times as long as those within; else 1.
std::size_t lines_of_a_moment(const std::vector<PowerReading>& readings) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < readings.size(); ++i)
    gaps.push_back(readings[i].at_s - readings[i - 1].at_s);
  if (gaps.size() < 3) return 1;
  const double longest = *std::ranges::max_element(gaps);
  const auto ends_moment = [&](double gap) { return gap > longest / 5; };
  const auto first = std::ranges::find_if(gaps, ends_moment);
  const auto size = static_cast<std::size_t>(first - gaps.begin()) + 1;
  if (size == 1 || size > 64) return 1;
  for (std::size_t i = 0; i < gaps.size(); ++i)
    if (ends_moment(gaps[i]) != ((i + 1) % size == 0)) return 1;
  return size;
}

/// Sums the readings of several accelerators at one moment.
std::vector<PowerReading> summed(const std::vector<PowerReading>& readings) {
  const std::size_t lines = lines_of_a_moment(readings);
  std::vector<PowerReading> moments;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const bool same = !moments.empty() &&
                      (readings[i].at_s == readings[i - 1].at_s || (lines > 1 && i % lines != 0));
    if (same)
      moments.back().watts += readings[i].watts;
    else
      moments.push_back(readings[i]);
  }
  return moments;
}

/// Returns the power at a time: on the line between the readings around it, else that of the
/// nearest one. There is at least one reading.
double watts_at(const std::vector<PowerReading>& readings, double at_s) {
  const auto after = std::ranges::lower_bound(readings, at_s, {}, &PowerReading::at_s);
  if (after == readings.begin()) return after->watts;
  const PowerReading& before = *std::prev(after);
  if (after == readings.end()) return before.watts;
  const double share = (at_s - before.at_s) / (after->at_s - before.at_s);
  return before.watts + share * (after->watts - before.watts);
}

std::vector<double> watts_between(const PowerSeries& series, double from_s, double to_s) {
  std::vector<double> watts;
  for (const PowerReading& reading : series.readings)
    if (reading.at_s >= from_s && reading.at_s <= to_s) watts.push_back(reading.watts);
  return watts;
}

/// Returns by how much a counter grew, or nothing when it was reset.
std::optional<double> growth_of(std::int64_t before, std::int64_t now, std::int64_t range) {
  if (before < 0 || now < 0) return std::nullopt;
  const double grown = static_cast<double>(now) - static_cast<double>(before);
  if (now >= before) return grown;
  if (before > range || before < range / 2 || now > range / 2) return std::nullopt;
  return grown + static_cast<double>(range);
}

}  // namespace

PowerSeries power_series(std::span<const PowerReading> readings) {
  PowerSeries series;
  for (const PowerReading& reading : readings) {
    const auto refuse = [&](const char* why) { ++series.refused[why]; };
    if (!std::isfinite(reading.at_s) || !std::isfinite(reading.watts))
      refuse("not a number");
    else if (reading.watts < 0)
      refuse("power below 0");
    else if (reading.watts > kMostWatts)
      refuse("power above 100 kW");
    else if (!series.readings.empty() && reading.at_s <= series.readings.back().at_s)
      refuse("not later than the reading before");
    else
      series.readings.push_back(reading);
  }
  return series;
}

Result<PowerSeries> read_meter(std::string_view csv, double ahead_s) {
  std::vector<PowerReading> readings;
  MeterColumns columns;
  std::size_t bad_lines = 0;
  bool is_first = true;
  for_each_csv_row(csv, [&](const CsvRow& row) {
    const bool begins = std::exchange(is_first, false);
    if (const auto named = begins ? MeterColumns::named_by(row.fields) : std::nullopt) {
      columns = *named;
      return;
    }
    const bool has_both =
        row.damage.empty() && row.fields.size() > std::max(columns.time, columns.power);
    const auto at = has_both ? time_of(row.fields[columns.time], ahead_s) : std::nullopt;
    const auto watts = has_both ? watts_of(row.fields[columns.power]) : std::nullopt;
    if (at && watts)
      readings.push_back({*at, *watts});
    else if (!begins || at || watts)
      ++bad_lines;
  });
  PowerSeries series = power_series(summed(readings));
  if (bad_lines > 0) series.refused["no time and power"] = bad_lines;
  if (series.readings.empty())
    return because(
        "no reading: a line has a time (seconds since 1970 or 2026-11-25T12:00:00Z), a "
        "comma and the power in W");
  return series;
}

PowerSeries power_of_counter(std::span<const CounterReading> readings,
                             const EnergyCounter& counter) {
  std::vector<PowerReading> powers;
  std::size_t resets = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const auto growth = growth_of(readings[i - 1].count, readings[i].count, counter.range);
    if (!growth) ++resets;
    const double span = readings[i].at_s - readings[i - 1].at_s;
    if (growth && span > 0)
      powers.push_back({readings[i].at_s, *growth * counter.joules_per_count / span});
  }
  PowerSeries series = power_series(powers);
  if (resets > 0) series.refused["the counter was reset"] = resets;
  return series;
}

Result<double> joules_between(const PowerSeries& series, double from_s, double to_s) {
  if (!(to_s > from_s) || !std::isfinite(to_s - from_s)) return because("no time between");
  std::vector<PowerReading> inside;
  for (const PowerReading& reading : series.readings)
    if (reading.at_s >= from_s && reading.at_s <= to_s) inside.push_back(reading);
  if (inside.size() < 2) return because("fewer than two power readings");
  inside.insert(inside.begin(), {from_s, watts_at(series.readings, from_s)});
  inside.push_back({to_s, watts_at(series.readings, to_s)});
  double joules = 0;
  for (std::size_t i = 1; i < inside.size(); ++i)
    joules += (inside[i].at_s - inside[i - 1].at_s) * (inside[i].watts + inside[i - 1].watts) / 2;
  return joules;
}

Result<FirstSeconds> first_seconds(const PowerSeries& series, double from_s, double to_s,
                                   double training_s) {
  double half_s = from_s + (to_s - from_s) / 2;
  // A reading covers the time before it, so the first one of the training covers some of the start.
  const auto of_training = std::ranges::upper_bound(series.readings, std::max(training_s, half_s),
                                                    {}, &PowerReading::at_s);
  if (training_s > half_s && of_training != series.readings.end() &&
      joules_between(series, of_training->at_s, to_s))
    half_s = of_training->at_s;
  const Result<double> begin = joules_between(series, from_s, half_s);
  const Result<double> end = joules_between(series, half_s, to_s);
  if (!begin) return tl::unexpected(begin.error());
  if (!end) return tl::unexpected(end.error());
  const double watts = *end / (to_s - half_s);
  const double noise =
      watts > 0
          ? 2 * autocorrelated_mean(watts_between(series, half_s, to_s)).standard_error / watts
          : 0;
  const double share = std::hypot(kLaterSeconds, noise);
  return FirstSeconds{
      to_s - from_s, *begin + *end, {watts / (1 + share), watts, watts * (1 + share)}};
}

Interval<double> joules_of_training(const FirstSeconds& first, double training_s) {
  if (!(training_s > first.seconds)) {
    const double share = first.seconds > 0 ? std::max(0.0, training_s) / first.seconds : 0;
    return Interval<double>::exactly(first.joules * share);
  }
  const double rest = training_s - first.seconds;
  return {first.joules + rest * first.watts.low, first.joules + rest * first.watts.mid,
          first.joules + rest * first.watts.high};
}

}  // namespace lapcast
