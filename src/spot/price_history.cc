#include "spot/price_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/lower_case.h"
#include "core/moment.h"
#include "core/units.h"
#include "price/csv_rows.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr Money kMostForAnHour = Money::from_nanos(1'000'000'000'000'000);  // 1,000,000 USD

/// Returns the time of a row, which is not in the future.
Result<Seconds> moment_in(const std::string& text, Date today) {
  const auto moment = parse_moment(text);
  std::string second = text;  // parse_past_utc() says what is wrong with it
  if (moment)
    second = utc_text(std::chrono::sys_seconds{std::chrono::seconds{std::llround(*moment)}});
  return parse_past_utc(second, today).map([&](std::chrono::sys_seconds at) {
    return Seconds{moment.value_or(static_cast<double>(at.time_since_epoch().count()))};
  });
}

std::optional<HourlyPrice> price_in(const std::string& text) {
  try {
    const Money price = Money::parse(text);
    if (price >= Money{} && price <= kMostForAnHour) return HourlyPrice{price};
  } catch (const Error&) {  // no amount
  }
  return std::nullopt;
}

/// Collects the changes of a history, and counts what it leaves out.
class PriceHistoryBuilder {
 public:
  explicit PriceHistoryBuilder(Date today) : today_(today) {}

  void add(const std::string& time, const std::string& price) {
    const auto at = moment_in(time, today_);
    const auto value = price_in(price);
    if (!at)
      leave_out("time " + at.error().text);
    else if (!value)
      leave_out("price is not an amount from 0 to 1,000,000 USD");
    else
      changes_[*at] = *value;  // of two at one time the later row counts
  }
  void leave_out(const std::string& why) { ++left_out_[why]; }

  Result<PriceHistory> take() {
    std::vector<Reason> problems;
    for (const auto& [why, count] : left_out_)
      problems.push_back({fmt::format("{}: {} rows are left out", why, count)});
    if (changes_.size() < 2)
      return because("a history needs prices at two times or more" +
                     (problems.empty() ? std::string() : "; " + problems.front().text));
    PriceHistory history;
    for (const auto& [at, price] : changes_) history.changes.push_back({at, price});
    history.problems = std::move(problems);
    return history;
  }

 private:
  Date today_;
  std::map<Seconds, HourlyPrice> changes_;
  std::map<std::string, std::size_t> left_out_;
};

std::string text_of(const nlohmann::json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Holds the machines, zones and products of the rows.
class Series {
 public:
  void add(std::string name) { names_.insert(std::move(name)); }
  /// Returns why the rows are not one history; nothing when they are.
  std::optional<Reason> several() const {
    if (names_.size() < 2) return std::nullopt;
    return Reason{fmt::format(
        "history has prices of {} machines, zones or products, such as {} and {}; ask for one",
        names_.size(), printable(*names_.begin(), 100),
        printable(*std::next(names_.begin()), 100))};
  }

 private:
  std::set<std::string> names_;
};

Result<PriceHistory> history_of_json(std::string_view text, Date today) {
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  // `--query SpotPriceHistory` leaves the list alone.
  const nlohmann::json* list = root.is_array() ? &root : nullptr;
  if (root.is_object() && root.contains("SpotPriceHistory")) list = &root["SpotPriceHistory"];
  if (list == nullptr || !list->is_array())
    return because("history is JSON without a list SpotPriceHistory");
  PriceHistoryBuilder builder(today);
  Series series;
  for (const nlohmann::json& row : *list) {
    if (!row.is_object()) {
      builder.leave_out("row is not an object");
      continue;
    }
    series.add(fmt::format("{} {} {}", text_of(row, "InstanceType"),
                           text_of(row, "AvailabilityZone"), text_of(row, "ProductDescription")));
    builder.add(text_of(row, "Timestamp"), text_of(row, "SpotPrice"));
  }
  if (const auto several = series.several()) return because(several->text);
  return builder.take();
}

/// Finds time and price in the rows of a table: a time is a field that is a moment, and the price
/// the column of that name, else the only number. What else is in a row names its series.
class HistoryRows {
 public:
  HistoryRows(PriceHistoryBuilder& builder, Series& series) : builder_(builder), series_(series) {}

  void take(const CsvRow& row) {
    const bool first = std::exchange(is_first_, false);
    if (!row.damage.empty()) return builder_.leave_out("row is damaged");
    std::optional<std::size_t> time, price;
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      if (!time && parse_moment(row.fields[i])) time = i;
      if (is_number(row.fields[i]) && (!price_ || i == *price_)) price = i, ++numbers;
    }
    if (first && !time && !price) return take_head(row);
    if (row.fields.size() < 2 || (!time && !price) || numbers > 1)
      return builder_.leave_out("row has not the two fields TIME,PRICE");
    std::string name;
    for (std::size_t i = 0; i < row.fields.size(); ++i)
      if (i != time && i != price && !is_number(row.fields[i])) name += row.fields[i] + " ";
    if (time && price) series_.add(name);
    builder_.add(row.fields[time.value_or(0)], row.fields[price.value_or(row.fields.size() - 1)]);
  }

 private:
  static bool is_number(const std::string& field) {
    return !field.empty() && field.find_first_not_of("0123456789.eE+-") == std::string::npos &&
           field.find_first_of("0123456789") != std::string::npos && !parse_moment(field);
  }

  void take_head(const CsvRow& row) {
    for (std::size_t i = 0; i < row.fields.size(); ++i)
      if (lower_case(row.fields[i]).ends_with("price")) price_ = i;
  }

  PriceHistoryBuilder& builder_;
  Series& series_;
  std::optional<std::size_t> price_;  // by the name of its column
  bool is_first_ = true;
};

Result<PriceHistory> history_of_table(std::string_view text, Date today) {
  PriceHistoryBuilder builder(today);
  Series series;
  HistoryRows rows(builder, series);
  // `--output text` has tabs.
  std::string commas(text);
  if (text.substr(0, text.find('\n')).find(',') == std::string_view::npos)
    std::ranges::replace(commas, '\t', ',');
  for_each_csv_row(commas, [&](const CsvRow& row) { rows.take(row); });
  if (const auto several = series.several()) return because(several->text);
  return builder.take();
}

/// Holds the price over time as an integral, which is piecewise linear.
class PriceIntegral {
 public:
  explicit PriceIntegral(const PriceHistory& history) : changes_(history.changes) {
    double sum = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      sums_.push_back(sum);
      if (i + 1 < changes_.size())
        sum += dollars(i) * (changes_[i + 1].at - changes_[i].at).count();
    }
  }
  double dollars_at(Seconds moment) const { return dollars(interval_of(moment)); }
  double until(Seconds moment) const {
    const std::size_t i = interval_of(moment);
    return sums_[i] + dollars(i) * (moment - changes_[i].at).count();
  }

 private:
  double dollars(std::size_t i) const { return changes_[i].price.per_hour.dollars(); }
  std::size_t interval_of(Seconds moment) const {
    const auto after = std::ranges::upper_bound(changes_, moment, {}, &PriceChange::at);
    const auto i = static_cast<std::size_t>(after - changes_.begin());
    return std::min(i == 0 ? 0 : i - 1, changes_.size() - 2);
  }

  const std::vector<PriceChange>& changes_;
  std::vector<double> sums_;
};

Money amount_of_dollars(double dollars) {
  return Money::from_nanos(std::llround(dollars * 1e9));
}

/// Returns the relative deviations of `value` from `mid` and of `ratio` from 1, added in
/// quadrature.
double apart(double mid, double value, double ratio) {
  return std::hypot(value / mid - 1, ratio - 1);
}

}  // namespace

Result<PriceHistory> parse_price_history(std::string_view text, Date today) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[')
             ? history_of_json(text, today)
             : history_of_table(text, today);
}

Interval<Money> mean_price_over(const PriceHistory& history, Seconds length) {
  constexpr int kMoments = 1000;
  const PriceIntegral integral(history);
  const Seconds begin = history.changes.front().at;
  const bool fits = length < history.length();
  const Seconds last = history.length() - (fits ? length : Seconds{0});
  // A mean over a moment of a long history is a small difference of large sums: rounding must not
  // carry it beyond the prices.
  const auto [least, most] = std::ranges::minmax_element(
      history.changes, {}, [](const PriceChange& change) { return change.price; });
  std::vector<double> means;
  for (int i = 0; i < kMoments; ++i) {
    const Seconds start = begin + last * ((i + 0.5) / kMoments);
    means.push_back(
        fits ? std::clamp((integral.until(start + length) - integral.until(start)) / length.count(),
                          least->price.per_hour.dollars(), most->price.per_hour.dollars())
             : integral.dollars_at(start));
  }
  const double mean = integral.until(history.changes.back().at) / history.length().count();
  return {amount_of_dollars(std::min(mean, quantile(means, 0.025))), amount_of_dollars(mean),
          amount_of_dollars(std::max(mean, quantile(means, 0.975)))};
}

Interval<Money> cost_at(const Interval<Money>& price, const Interval<Seconds>& billed) {
  const Money mid = cost_of({price.mid}, to_ns(billed.mid));
  if (price.mid == Money{} || !(billed.mid.count() > 0)) return Interval<Money>::exactly(mid);
  const double cheaper =
      apart(billed.mid.count(), billed.low.count(), price.low.dollars() / price.mid.dollars());
  const double dearer =
      apart(billed.mid.count(), billed.high.count(), price.high.dollars() / price.mid.dollars());
  return {scaled(mid, std::max(0.0, 1 - cheaper)), mid, scaled(mid, 1 + dearer)};
}

}  // namespace lapcast
