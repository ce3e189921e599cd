#include "choose/compile_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "run/compile_caches.h"

namespace lapcast {
namespace {

constexpr double kWorthSaying = 0.10;  // of the total

/// Holds the times of a start that depend on compiled code.
struct StartParts {
  Seconds init{0};
  Seconds warm_up{0};
  std::optional<Seconds> first_validation;
};

StartParts parts_of(const LapProfile& profile) {
  StartParts parts{profile.init, profile.warm_up_excess, std::nullopt};
  if (profile.validation && profile.validation->observed > 0)
    parts.first_validation = profile.validation->first.mid;
  return parts;
}

/// Returns the means of the starts of runs whose caches were in that state; nothing without one.
std::optional<StartParts> mean_start(std::span<const Run> runs, const Run& but, CacheState state) {
  StartParts sum;
  Seconds validations{0};
  int count = 0, validated = 0;
  for (const Run& run : runs) {
    if (run.context.id == but.context.id || run.context.settings != but.context.settings ||
        cache_state_of(compile_caches_of(run)) != state)
      continue;
    const auto profile = profile_of(run);
    if (!profile) continue;
    const StartParts parts = parts_of(*profile);
    sum.init += parts.init;
    sum.warm_up += parts.warm_up;
    if (parts.first_validation) {
      validations += *parts.first_validation;
      ++validated;
    }
    ++count;
  }
  if (count == 0) return std::nullopt;
  sum.init /= count;
  sum.warm_up /= count;
  if (validated > 0) sum.first_validation = validations / validated;
  return sum;
}

void replace_start(LapProfile& profile, const StartParts& parts) {
  profile.init = parts.init;
  profile.warm_up_excess = parts.warm_up;
  if (!parts.first_validation || !profile.validation) return;
  Interval<Seconds>& first = profile.validation->first;
  if (!(first.mid > *parts.first_validation)) return;
  first = scaled(first, *parts.first_validation / first.mid);
}

bool differs(Seconds a, Seconds b) {
  return std::abs(a / b - 1) >= kWorthSaying;
}

/// Forecasts again by the changed profile. Returns the total before.
Interval<Seconds> forecast_again(Assessment& assessment) {
  const Interval<Seconds> before = assessment.forecast->total;
  assessment.forecast =
      forecast(*assessment.profile, *assessment.plan, assessment.forecast->method);
  return before;
}

Assessment by_warm_runs(Assessment assessment, const std::string& grown, const StartParts& warm) {
  const StartParts cold = parts_of(*assessment.profile);
  replace_start(*assessment.profile, warm);
  const Interval<Seconds> before = forecast_again(assessment);
  if (!assessment.forecast) return assessment;
  const Seconds total = assessment.forecast->total.mid;
  const Seconds compiled = cold.init + cold.warm_up - warm.init - warm.warm_up;
  if (differs(before.mid, total))
    assessment.profile->notes.push_back(fmt::format(
        "it compiled for about {}, {} grew: the forecast is for caches that are warm now, as in "
        "other runs here; with cold caches, as on a fresh machine, {}",
        format_duration(std::max(compiled, Seconds{0})), grown, format_duration(before.mid)));
  return assessment;
}

/// Widens the total so that it holds what the prior allows around what stays of the warm-up.
Assessment by_prior(Assessment assessment, const std::string& grown) {
  LapProfile& profile = *assessment.profile;
  const Seconds cold = profile.warm_up_excess;
  if (!(cold.count() > 0)) return assessment;
  profile.warm_up_excess = cold * kShareThatStays.mid;
  const Interval<Seconds> before = forecast_again(assessment);
  if (!assessment.forecast) return assessment;
  Interval<Seconds>& total = assessment.forecast->total;
  const auto wider = [&](Seconds distance, double share) {
    return Seconds{std::hypot(distance.count(), cold.count() * (share - kShareThatStays.mid))};
  };
  for (ForecastPart& part : assessment.forecast->parts)
    if (part.kind == PartKind::warm_up) part.time = around(cold, kShareThatStays);
  total.low =
      std::max(total.mid / 2, total.mid - wider(total.mid - total.low, kShareThatStays.low));
  total.high =
      std::max(before.high, total.mid + wider(total.high - total.mid, kShareThatStays.high));
  if (differs(before.mid, total.mid))
    profile.notes.push_back(fmt::format(
        "it compiled in its start, {} grew: with the caches warm, as in the next run here, about "
        "{}; with cold caches, as on a fresh machine, {}; a second probe measures the former",
        grown, format_duration(total.mid), format_duration(before.mid)));
  return assessment;
}

/// Adds how long a run with cold caches takes.
Assessment with_note_of_cold(Assessment assessment, const StartParts& cold) {
  LapProfile changed = *assessment.profile;
  replace_start(changed, cold);
  if (changed.validation && cold.first_validation &&
      changed.validation->first.mid < *cold.first_validation)
    changed.validation->first = Interval<Seconds>::exactly(*cold.first_validation);
  const auto made = forecast(changed, *assessment.plan, assessment.forecast->method);
  if (made && made->total.mid > assessment.forecast->total.mid &&
      differs(made->total.mid, assessment.forecast->total.mid))
    assessment.profile->notes.push_back(
        fmt::format("it found its compiled code in caches; with cold caches, as on a fresh "
                    "machine, {}",
                    format_duration(made->total.mid)));
  return assessment;
}

}  // namespace

Assessment with_compiled_code(Assessment assessment, const Run& run, std::span<const Run> others) {
  if (!assessment.forecast || assessment.forecast->method != Method::lapcast) return assessment;
  const std::vector<CompileCache> caches = compile_caches_of(run);
  const CacheState state = cache_state_of(caches);
  if (state == CacheState::unknown) return assessment;
  if (state == CacheState::warm) {
    const auto cold = mean_start(others, run, CacheState::cold);
    return cold ? with_note_of_cold(std::move(assessment), *cold) : assessment;
  }
  const std::string grown = grown_text(caches);
  if (const auto warm = mean_start(others, run, CacheState::warm))
    return by_warm_runs(std::move(assessment), grown, *warm);
  // The driver compiles little, and a first lap takes longer for other reasons too.
  const bool is_compiled = std::ranges::any_of(caches, [](const CompileCache& cache) {
    return cache.files_added > 0 && cache.compiler != "CUDA";
  });
  return is_compiled ? by_prior(std::move(assessment), grown) : assessment;
}

}  // namespace lapcast
