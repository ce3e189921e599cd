#include "rank/tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "run/settings.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

/// Returns the 2.5 and 97.5 % quantiles of the ratio in all cases, around `mid`.
Interval<double> ratio_of_cases(const std::vector<double>& tuned, const std::vector<double>& base,
                                double mid) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < tuned.size(); ++i) ratios.push_back(tuned[i] / base[i]);
  std::ranges::sort(ratios);
  const auto at = [&](double share) {
    return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
  };
  return {std::min(mid, at(0.025)), mid, std::max(mid, at(0.975))};
}

/// Returns how far an interval reaches below, or above, its mid, as a logarithm.
double log_below(const Interval<Seconds>& time) {
  return std::log(time.mid / std::max(time.low, 1e-9 * time.mid));
}
double log_above(const Interval<Seconds>& time) {
  return std::log(time.high / time.mid);
}

const MetricPoint* last_at(const LapLog& log, std::string_view name, std::int64_t most_laps) {
  const MetricPoint* last = nullptr;
  for (const MetricPoint& point : log.metrics)
    if (point.name == name && point.laps_before <= most_laps) last = &point;
  return last;
}

std::optional<ComparedLoss> loss_of_name(const LapLog& run, const LapLog& base,
                                         std::string_view name) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    const MetricPoint* own = last_at(run, name, most);
    const MetricPoint* other = last_at(base, name, most);
    if (own == nullptr || other == nullptr) return std::nullopt;
    if (own->laps_before == other->laps_before)
      return ComparedLoss{std::string(name), own->laps_before, own->value, other->value};
    most = std::min(own->laps_before, other->laps_before);
  }
}

}  // namespace

std::map<std::string, std::string> environment_of(std::span<const TuneSetting> settings) {
  std::map<std::string, std::string> all;
  for (const TuneSetting& setting : settings)
    for (const auto& [name, value] : setting.environment) {
      std::string& entry = all[name];
      entry = name == kHookVariable && !entry.empty() ? entry + "," + value : value;
    }
  return all;
}

RunContext with_settings(RunContext context, std::span<const TuneSetting> settings) {
  for (const TuneSetting& setting : settings) context.settings[setting.name] = setting.value;
  auto& environment = context.machine_type.environment;
  for (auto& [name, value] : environment_of(settings)) {
    const auto own = environment.find(name);
    const bool joins = name == kHookVariable && own != environment.end();
    environment[name] = joins ? own->second + "," + value : value;
  }
  return context;
}

std::string text_of_settings(std::span<const TuneSetting> settings) {
  return settings_text(with_settings({}, settings));
}

std::optional<Interval<double>> ratio_of_times(const Assessment& tuned, const Assessment& base) {
  if (!tuned.forecast || !base.forecast) return std::nullopt;
  const Interval<Seconds>& own = tuned.forecast->total;
  const Interval<Seconds>& other = base.forecast->total;
  if (!(own.mid.count() > 0) || !(other.mid.count() > 0)) return std::nullopt;
  const double mid = own.mid / other.mid;
  if (tuned.cases && base.cases && tuned.cases->size() == base.cases->size() &&
      !tuned.cases->empty())
    return ratio_of_cases(*tuned.cases, *base.cases, mid);
  const double down = std::hypot(log_below(own), log_above(other));
  const double up = std::hypot(log_above(own), log_below(other));
  return Interval<double>{mid * std::exp(-down), mid, mid * std::exp(up)};
}

std::vector<std::size_t> settings_to_combine(
    std::span<const TuneSetting> settings,
    std::span<const std::optional<Interval<double>>> ratios) {
  std::map<std::string, std::size_t> sure;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!ratios[i]) continue;
    if (!best || ratios[i]->mid < ratios[*best]->mid) best = i;
    if (ratios[i]->high >= 1) continue;
    const auto [entry, is_new] = sure.try_emplace(settings[i].name, i);
    if (!is_new && ratios[i]->mid < ratios[entry->second]->mid) entry->second = i;
  }
  std::vector<std::size_t> chosen;
  for (const auto& [name, index] : sure) chosen.push_back(index);
  if (chosen.empty() && best && ratios[*best]->mid <= 1 - kWorthTrying) chosen = {*best};
  return chosen;
}

std::optional<Interval<double>> ratio_of_pairs(std::span<const double> tuned,
                                               std::span<const double> base) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(tuned.size(), base.size()); ++i)
    logs.push_back(std::log(tuned[i] / base[i]));
  if (logs.empty()) return std::nullopt;
  const Interval<double> mean = mean_interval(logs);
  return Interval<double>{std::exp(mean.low), std::exp(mean.mid), std::exp(mean.high)};
}

std::optional<ComparedLoss> compared_loss(const LapLog& run, const LapLog& base) {
  for (const std::string_view name : {"step_loss", "loss", "train_loss"})
    if (auto loss = loss_of_name(run, base, name)) return loss;
  return std::nullopt;
}

}  // namespace lapcast
