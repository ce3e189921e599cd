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

#include "core/units.h"
#include "price/csv_rows.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr Money kMostForAnHour = Money::from_nanos(1'000'000'000'000'000);  // 1,000,000 USD

/// Returns the time of "2026-11-20T12:00:00Z"; parts of seconds and "+00:00" are allowed, too.
Result<Seconds> moment_in(std::string text, Date today) {
  if (text.ends_with("+00:00")) text.replace(text.size() - 6, 6, "Z");
  const std::size_t point = text.find('.');
  if (point != std::string::npos && text.back() == 'Z') text.replace(point, text.size(), "Z");
  return parse_past_utc(text, today).map([](std::chrono::sys_seconds time) {
    return Seconds{static_cast<double>(time.time_since_epoch().count())};
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
    if (changes_.size() < 2) return because("a history needs prices at two times or more");
    PriceHistory history;
    for (const auto& [at, price] : changes_) history.changes.push_back({at, price});
    for (const auto& [why, count] : left_out_)
      history.problems.push_back({fmt::format("{}: {} rows are left out", why, count)});
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

Result<PriceHistory> history_of_json(std::string_view text, Date today) {
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  const auto list = root.is_object() ? root.find("SpotPriceHistory") : root.end();
  if (!root.is_object() || list == root.end() || !list->is_array())
    return because("history is JSON without a list SpotPriceHistory");
  PriceHistoryBuilder builder(today);
  std::set<std::string> series;
  for (const nlohmann::json& row : *list) {
    if (!row.is_object()) {
      builder.leave_out("row is not an object");
      continue;
    }
    series.insert(fmt::format("{} {} {}", text_of(row, "InstanceType"),
                              text_of(row, "AvailabilityZone"),
                              text_of(row, "ProductDescription")));
    builder.add(text_of(row, "Timestamp"), text_of(row, "SpotPrice"));
  }
  if (series.size() > 1)
    return because(
        fmt::format("history has prices of {} machines, zones or products, such as {} "
                    "and {}; ask for one",
                    series.size(), printable(*series.begin(), 100),
                    printable(*std::next(series.begin()), 100)));
  return builder.take();
}

Result<PriceHistory> history_of_table(std::string_view text, Date today) {
  PriceHistoryBuilder builder(today);
  bool first = true;
  for_each_csv_row(text, [&](const CsvRow& row) {
    const bool is_head = std::exchange(first, false) && row.damage.empty() && !row.fields.empty() &&
                         row.fields[0].find_first_of("0123456789") == std::string::npos;
    if (is_head) return;
    if (!row.damage.empty() || row.fields.size() != 2)
      builder.leave_out("row has not the two fields TIME,PRICE");
    else
      builder.add(row.fields[0], row.fields[1]);
  });
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
