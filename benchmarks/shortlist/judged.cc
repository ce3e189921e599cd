#include "shortlist/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/hash.h"
#include "stats/distributions.h"

namespace lapcast::shortlist {

double quantile_of(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

Errors errors_of(const std::vector<Judged>& judged) {
  Errors errors;
  std::vector<double> absolute;
  for (const Judged& one : judged) {
    absolute.push_back(100 * std::abs(std::expm1(one.error)));
    errors.coverage += one.low <= 0 && one.high >= 0 ? 100 : 0;
    errors.width += one.high - one.low;
  }
  errors.count = judged.size();
  const double n = std::max<double>(1, static_cast<double>(errors.count));
  errors.coverage /= n;
  errors.width /= n;
  errors.median = quantile_of(absolute, 0.5);
  errors.p90 = quantile_of(absolute, 0.9);
  return errors;
}

int half_of(const std::string& task) {
  Fnv1a hash;
  hash.add(task);
  return static_cast<int>((hash.value() >> 20) % 2);
}

std::vector<Judged> of_half(const std::vector<Judged>& judged, int half) {
  std::vector<Judged> kept;
  for (const Judged& one : judged)
    if (half_of(one.task) == half) kept.push_back(one);
  return kept;
}

double score_of(const std::vector<Judged>& judged) {
  double sum = 0;
  for (const Judged& one : judged) {
    const double sd = (one.high - one.low) / (2 * kZ95);
    sum -= one.error * one.error / (2 * sd * sd) + std::log(sd);
  }
  return sum / std::max<double>(1, static_cast<double>(judged.size()));
}

void Goals::heading(const std::string& text) const {
  std::printf("\n%s\n", text.c_str());
}

void Goals::show(const std::string& name, const Errors& e) const {
  std::printf("  %-46s %5.1f / %5.1f %%  covered %5.1f %%  width %4.2f  n %zu\n", name.c_str(),
              e.median, e.p90, e.coverage, e.width, e.count);
}

void Goals::goal(const std::string& what, bool is_met) {
  std::printf("    goal %s: %s\n", what.c_str(), is_met ? "met" : "missed");
  ++all_;
  met_ += is_met ? 1 : 0;
}

void Goals::error_goal(const Errors& e, double median, double p90) {
  // Goals are whole figures as printed.
  const auto shown = [](double value) { return std::round(value * 10) / 10; };
  goal(fmt::format("{:g} / {:g} %", median, p90), shown(e.median) <= median && shown(e.p90) <= p90);
}

void Goals::coverage_goal(const Errors& e, double least, double most) {
  goal(fmt::format("coverage {:g} to {:g} %", least, most),
       e.coverage >= least && e.coverage <= most);
}

void Goals::width_goal(const Errors& e, double most) {
  goal(fmt::format("width <= {:g}", most), std::round(e.width * 100) / 100 <= most);
}

void Goals::end(const std::string& name) const {
  std::printf("%s: %d of %d goals met\n", name.c_str(), met_, all_);
}

}  // namespace lapcast::shortlist
