#include "history/compile_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "forecast/lap_profiler.h"
#include "forecast/validation_schedule.h"
#include "run/compile_caches.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

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

/// Returns the interval of a time of the next start, which is taken to be lognormal.
Interval<Seconds> next_time(Seconds time, double deviation) {
  const double factor = std::exp(kZ95 * deviation);
  return time.count() < 0 ? Interval<Seconds>{time * factor, time, time / factor}
                          : Interval<Seconds>{time / factor, time, time * factor};
}

void take_start(LapProfile& profile, const StartParts& parts, double deviation) {
  profile.next_init = next_time(parts.init, deviation);
  profile.next_warm_up = next_time(parts.warm_up, deviation);
  if (!parts.first_validation || !profile.validation) return;
  Interval<Seconds>& first = profile.validation->first;
  if (!(first.mid > *parts.first_validation)) return;
  first = scaled(first, *parts.first_validation / first.mid);
}

/// Repeats the forecast with the changed profile. Returns the previous middle of the total.
Seconds forecast_again(Assessment& assessment) {
  const Seconds before = assessment.forecast->total.mid;
  assessment.forecast =
      forecast(*assessment.profile, *assessment.plan, assessment.forecast->method);
  return before;
}

Assessment by_warm_runs(Assessment assessment, const std::string& grown, const StartParts& warm) {
  const StartParts cold = parts_of(*assessment.profile);
  take_start(*assessment.profile, warm, kPriors.start_spread_warm);
  const Seconds before = forecast_again(assessment);
  if (!assessment.forecast) return assessment;
  const Seconds compiled = cold.init + cold.warm_up - warm.init - warm.warm_up;
  if (is_worth_saying(assessment.forecast->total.mid, before))
    assessment.profile->notes.push_back(fmt::format(
        "it compiled for about {}, {} grew: the forecast is for caches that are warm now, as in "
        "other runs here; with cold caches, as on a fresh machine, {}",
        format_duration(std::max(compiled, Seconds{0})), grown, format_duration(before)));
  return assessment;
}

/// Returns the time of the validations that ended before the first lap.
Seconds validated_before_laps(const LapLog& log) {
  Seconds time{0};
  for (const ValidationSpan& each : log.validations)
    if (each.laps_before == 0 && each.span.end_ns <= log.laps.front().begin_ns)
      time += each.span.seconds();
  return time;
}

/// Reduces the parts of the profile in which the run compiled to what stays of them.
void shrink_start(LapProfile& profile, const LapLog& log) {
  const Prior& stays = kShareThatStays;
  const double spread = kZ95 * (profile.start == StartKind::cold ? kPriors.start_spread_cold
                                                                 : kPriors.start_spread_unknown);
  const Seconds laps = std::max(Seconds{0}, profile.warm_up_excess);
  const Seconds validated = validated_before_laps(log);
  const Seconds mid = profile.warm_up_excess - laps * (1 - stays.mid);
  const auto half = [&](double share) {
    return Seconds{std::hypot(((laps + validated) * (share - stays.mid)).count(),
                              spread * std::abs(mid.count()))};
  };
  profile.next_warm_up = Interval<Seconds>{mid - half(stays.low), mid, mid + half(stays.high)};
  if (validated.count() == 0) return;
  profile.next_init = next_time(profile.init - validated * (1 - stays.mid), spread / kZ95);
  // Later validations are forecast from one that compiled.
  if (!profile.validation || !validations_after_first_lap(log).empty()) return;
  for (Interval<Seconds>* each : {&profile.validation->first, &profile.validation->later})
    *each = {each->low * stays.low, each->mid * stays.mid, each->high};
}

Assessment by_prior(Assessment assessment, const Run& run, const std::string& grown) {
  shrink_start(*assessment.profile, *laps_of(run));
  const Seconds before = forecast_again(assessment);
  if (!assessment.forecast) return assessment;
  const Seconds total = assessment.forecast->total.mid;
  if (is_worth_saying(total, before))
    assessment.profile->notes.push_back(fmt::format(
        "it compiled in its start, {} grew: with the caches warm, as in the next run here, about "
        "{}; with cold caches, as on a fresh machine, {}; a second probe measures the former",
        grown, format_duration(total), format_duration(before)));
  return assessment;
}

/// Adds a note on how long a run with cold caches takes.
Assessment with_note_of_cold(Assessment assessment, const StartParts& cold) {
  LapProfile changed = *assessment.profile;
  take_start(changed, cold, kPriors.start_spread_cold);
  if (changed.validation && cold.first_validation &&
      changed.validation->first.mid < *cold.first_validation)
    changed.validation->first = Interval<Seconds>::exactly(*cold.first_validation);
  const auto made = forecast(changed, *assessment.plan, assessment.forecast->method);
  if (made && made->total.mid > assessment.forecast->total.mid &&
      is_worth_saying(assessment.forecast->total.mid, made->total.mid))
    assessment.profile->notes.push_back(
        fmt::format("it found its compiled code in caches; with cold caches, as on a fresh "
                    "machine, {}",
                    format_duration(made->total.mid)));
  return assessment;
}

}  // namespace

bool is_worth_saying(Seconds a, Seconds b) {
  constexpr double kLeastShare = 0.10;
  return std::abs(b / a - 1) >= kLeastShare;
}

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
  if (mean_start(others, run, CacheState::cold)) return assessment;
  // The driver compiles little, and a first lap takes longer for other reasons too.
  const bool is_compiled = std::ranges::any_of(caches, [](const CompileCache& cache) {
    return cache.files_added > 0 && cache.compiler != "CUDA";
  });
  return is_compiled ? by_prior(std::move(assessment), run, grown) : assessment;
}

}  // namespace lapcast
