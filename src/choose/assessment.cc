#include "choose/assessment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "choose/time_by_epochs.h"
#include "forecast/forecast.h"
#include "forecast/learning_curve.h"
#include "run/attempts.h"
#include "run/race_outcomes.h"
#include "run/secrets.h"
#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

RequestedPlan merged(const RequestedPlan& asked, const RequestedPlan& own) {
  RequestedPlan plan = asked;
  if (plan.epochs == 0 && plan.steps == 0) {
    plan.epochs = own.epochs;
    plan.steps = own.steps;
  }
  for (const auto field : {&RequestedPlan::training_samples, &RequestedPlan::validation_samples,
                           &RequestedPlan::validate_every, &RequestedPlan::validate_from})
    if (plan.*field == 0) plan.*field = own.*field;
  return plan;
}

std::int64_t ended_epochs(const LapLog& log) {
  return std::count_if(log.epochs.begin(), log.epochs.end(),
                       [](const EpochSpan& epoch) { return epoch.ended; });
}

/// Returns whether a run may have been stopped before it showed how long a lap is. A race knows
/// what few laps are worth; a log of another tool has the laps that it has, which may each stand
/// for a whole epoch.
bool was_stopped_early(const Run& run) {
  return !was_imported(run.context) && !was_stopped_by_race(run.outcome) &&
         !std::holds_alternative<outcome::Ended>(run.outcome);
}

/// Returns whether the laps, counted in full batches, are as many as the plan has.
bool are_of_plan(std::span<const Lap> laps, const TrainingPlan& plan) {
  double full = 0;
  for (const Lap& lap : laps)
    full += plan.batch_size > 0 && lap.samples > 0 ? lap.samples / plan.batch_size : 1;
  const double planned = laps_of(plan);
  return std::abs(full - planned) <= std::max(1.0, planned / 100);
}

Seconds real_time(const Run& run, const LapLog& log, std::int64_t epochs) {
  const bool trained_more = epochs > 0 && static_cast<std::int64_t>(log.epochs.size()) > epochs;
  if (!trained_more) return training_time(run);
  const Seconds after_the_last_event = run.wall() - from_ns(log.last_ns);
  return from_ns(log.epochs[static_cast<std::size_t>(epochs)].span.begin_ns) + after_the_last_event;
}

using Placeholders = std::map<std::string, std::string>;  // RunContext::settings

bool is_with_seed_0(const Placeholders& settings) {
  const auto seed = settings.find(kSeedSetting);
  return seed != settings.end() && seed->second == kSeedOfProbes;
}

/// Returns the settings of the probes whose epochs the run of a repeat teaches.
Placeholders with_seed_0(Placeholders settings) {
  if (const auto seed = settings.find(kSeedSetting); seed != settings.end())
    seed->second = kSeedOfProbes;
  return settings;
}

/// Collects how many epochs trainings with the same settings had, apart for each sweep and way to
/// stop.
class TrainedEpochs {
 public:
  void add(const RunContext& context, std::int64_t epochs) {
    newest_ = {context.sweep, context.metric, context.patience};
    if (epochs > 0) epochs_[newest_].push_back(epochs);
  }
  std::vector<std::int64_t> newest() && { return std::move(epochs_[newest_]); }

 private:
  using Way = std::tuple<std::string, std::string, std::int64_t>;
  Way newest_;
  std::map<Way, std::vector<std::int64_t>> epochs_;
};

std::int64_t epochs_until_stop(const RunContext& context, const LapLog& log) {
  const auto by_patience = context.patience > 0
                               ? epochs_of_patience(log, context.metric, context.patience)
                               : std::nullopt;
  return by_patience.value_or(ended_epochs(log));
}

void add_accuracy(LearnedEpochs& learned, const LapLog& log) {
  if (const auto best = best_metric(log, "val_accuracy"))
    learned.accuracy = std::max(learned.accuracy.value_or(best->value), best->value);
}

void set_epochs(LearnedEpochs& learned, std::vector<std::int64_t> trained) {
  learned.trained = std::move(trained);
  if (learned.trained.empty()) return;
  const std::vector<double> values(learned.trained.begin(), learned.trained.end());
  learned.epochs = std::max<std::int64_t>(1, std::llround(mean(values)));
}

}  // namespace

std::string machine_of(const Run& run) {
  return run.context.place + '\n' + run.context.machine.host;
}

std::string where_of(const RunContext& context) {
  if (was_imported(context)) return "imported";
  return context.place.empty() ? "here" : context.place;
}

Assessment assess(const Run& run, const RequestedPlan& asked, std::int64_t first_epochs,
                  std::span<const ValidationSource> sources, Conditions conditions, Method method) {
  const auto failed = [&](const Reason& reason) {
    return Assessment{tl::unexpected(reason), tl::unexpected(reason), tl::unexpected(reason),
                      conditions};
  };
  if (!may_have_laps(run.outcome)) return failed(Reason{shown_outcome(run)});
  Result<LapProfile> profile = profile_of(run, first_epochs, conditions);
  if (!profile) return failed(profile.error());
  const RequestedPlan requested = merged(asked, run.context.plan);
  if (const ValidationSource* source = validation_source_for(run.context, sources))
    carry_validation(*profile, source->validation,
                     requested.validation_samples > 0 ? requested.validation_samples
                                                      : profile->reported.validation_samples);
  Result<TrainingPlan> plan = plan_of(requested, *profile);
  Result<Forecast> made =
      plan.and_then([&](const TrainingPlan& known) { return forecast(*profile, known, method); });
  if (const auto early = why_too_early(*profile);
      made && early && method == Method::lapcast && was_stopped_early(run))
    made = because(early->text + ": a longer --budget or a larger --max-laps gives it more");
  return {std::move(profile), std::move(plan), std::move(made), conditions};
}

Candidate candidate_of(const Run& run, const Assessment& assessment) {
  Candidate candidate{.run_id = run.context.id,
                      .machine_type = run.context.machine_type.name,
                      .offer = run.context.offer,
                      .settings = settings_text(run.context),
                      .time = assessment.forecast.map([](const Forecast& made) {
                        return made.method == Method::lapcast
                                   ? made.total
                                   : Interval<Seconds>::exactly(made.total.mid);
                      })};
  candidate.where = where_of(run.context);
  if (!assessment.forecast) return candidate;
  candidate.conditions = to_string(assessment.conditions);
  candidate.cases = assessment.cases;
  candidate.machine = machine_of(run);
  candidate.start_s = assessment.profile->init.count();
  if (const auto& checkpoint = assessment.profile->checkpoint)
    candidate.checkpoint_s = checkpoint->mid.count();
  for (const ForecastPart& part : assessment.forecast->parts)
    if (part.kind == PartKind::validation) candidate.demand.validation += part.time.mid;
  candidate.epochs = static_cast<double>(assessment.plan->epochs);
  candidate.time_by_epochs = time_by_epochs(assessment);
  return candidate;
}

LearnedBySettings learned_epochs(std::span<const Run> runs) {
  std::set<Placeholders> own_seed_0;  // seeds that the user named, 0 among them
  for (const Run& run : runs)
    if (run.context.kind == RunKind::find_epochs && is_with_seed_0(run.context.settings))
      own_seed_0.insert(run.context.settings);
  std::map<Placeholders, TrainedEpochs> trained;
  LearnedBySettings result;
  for (const Run& run : runs) {
    if (run.context.kind == RunKind::probe || !has_laps(run.outcome)) continue;
    // A run that was stopped before its end has not reached the accuracy that it could.
    if (run.context.kind == RunKind::full && !std::holds_alternative<outcome::Ended>(run.outcome))
      continue;
    std::set<Placeholders> taught{run.context.settings};
    if (run.context.kind == RunKind::find_epochs)
      if (const auto repeated = with_seed_0(run.context.settings); !own_seed_0.contains(repeated))
        taught.insert(repeated);
    const LapLog log = laps_of(run);
    for (const Placeholders& settings : taught) {
      add_accuracy(result[settings], log);
      if (run.context.kind == RunKind::find_epochs)
        trained[settings].add(run.context, epochs_until_stop(run.context, log));
    }
  }
  for (auto& [settings, counts] : trained) set_epochs(result[settings], std::move(counts).newest());
  return result;
}

void add_learned(Candidate& candidate, const LearnedEpochs& learned) {
  candidate.accuracy = learned.accuracy;
  const auto n = static_cast<double>(learned.trained.size());
  if (n < 2 || !candidate.time || !candidate.time_by_epochs ||
      candidate.epochs != static_cast<double>(learned.epochs))
    return;
  candidate.trained_epochs = learned.trained;
  const std::vector<double> values(learned.trained.begin(), learned.trained.end());
  const double spread =
      student_t_quantile(0.975, n - 1) * standard_deviation(values) * std::sqrt(1 + 1 / n);
  const Seconds mid = candidate.time->mid;
  const auto away = [&](double epochs) {
    const Seconds time = candidate.time_by_epochs(epochs);
    return time.count() > 0 ? std::abs(std::log(time / mid)) : 0;
  };
  candidate.time = LogErrors()
                       .add(*candidate.time)
                       .add(away(candidate.epochs - spread), away(candidate.epochs + spread))
                       .around(mid);
}

std::int64_t batch_size_of(const Run& run) {
  const LapLog log = laps_of(run);
  if (log.plan && log.plan->batch_size > 0) return log.plan->batch_size;
  std::int64_t largest = 0;
  for (const Lap& lap : log.laps) largest = std::max<std::int64_t>(largest, lap.samples);
  return largest;
}

std::string settings_text(const RunContext& context) {
  std::string text;
  for (const auto& [name, value] : context.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, masked_value(name, value));
  return text;
}

std::string settings_of_set(const RunContext& context) {
  RunContext without_seed;
  without_seed.settings = context.settings;
  without_seed.settings.erase(kSeedSetting);
  return settings_text(without_seed);
}

std::vector<Offer> offers_of(std::span<const Run> runs) {
  std::vector<Offer> offers;
  for (const Run& run : runs)
    if (run.context.price &&
        std::find(offers.begin(), offers.end(), *run.context.price) == offers.end())
      offers.push_back(*run.context.price);
  return offers;
}

const Offer* offer_of(const Run& run, std::span<const Offer> offers) {
  const RunContext& context = run.context;
  if (context.price) return &*context.price;
  const auto found = std::find_if(offers.begin(), offers.end(), [&](const Offer& offer) {
    return context.offer.empty() ? offer.machine_type == context.machine_type.name
                                 : offer.name == context.offer;
  });
  return found == offers.end() ? nullptr : &*found;
}

Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers) {
  const Offer* offer = offer_of(run, offers);
  if (offer == nullptr) return because("it has no price");
  return quote(*offer, Interval<Seconds>::exactly(time)).map([](const Quote& bill) {
    return bill.total.mid;
  });
}

Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers) {
  return cost_of_time(run, time_of_attempts(run), offers);
}

std::vector<ValidationSource> validation_sources_of(std::span<const Run> runs) {
  std::vector<ValidationSource> sources;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (laps_of(run).validations.empty()) continue;  // which costs less to see than a profile
    const auto profile = profile_of(run);
    if (!profile) continue;
    auto validation = validation_ratio(
        *profile, fmt::format("run {} on {}", context.id, context.machine_type.name));
    if (validation)
      sources.push_back({context.id, context.program, context.settings, *std::move(validation)});
  }
  return sources;
}

const ValidationSource* validation_source_for(const RunContext& context,
                                              std::span<const ValidationSource> sources) {
  const ValidationSource* best = nullptr;
  for (const ValidationSource& source : sources) {
    if (source.run_id == context.id || source.program != context.program ||
        source.settings != context.settings)
      continue;
    if (best == nullptr || source.validation.observed > best->validation.observed) best = &source;
  }
  return best;
}

Seconds real_time(const Run& run, std::int64_t epochs) {
  return real_time(run, laps_of(run), epochs);
}

std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan) {
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) return std::nullopt;
  const LapLog log = laps_of(run);
  const std::span<const Lap> laps(log.laps);
  if (are_of_plan(laps, plan)) return run.wall();
  const auto epochs = static_cast<std::size_t>(std::max<std::int64_t>(0, plan.epochs));
  if (epochs == 0 || epochs >= log.epochs.size()) return std::nullopt;
  const auto until = static_cast<std::size_t>(log.epochs[epochs].first_lap);
  if (until > laps.size() || !are_of_plan(laps.first(until), plan)) return std::nullopt;
  return real_time(run, log, plan.epochs);
}

std::map<std::string, Seconds> queue_waits(std::span<const Run> runs) {
  // The keys are the machine type, then the sweep, or the run where there is none.
  std::map<std::string, std::map<std::string, Seconds>> shortest;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (context.place.empty()) continue;
    const Seconds waited = preparation_time(run, "queue");
    const auto [entry, is_first] = shortest[context.machine_type.name].emplace(
        context.sweep.empty() ? context.id : context.sweep, waited);
    if (!is_first) entry->second = std::min(entry->second, waited);
  }
  std::map<std::string, Seconds> means;
  for (const auto& [machine, waits] : shortest) {
    Seconds sum{0};
    for (const auto& [sweep, waited] : waits) sum += waited;
    means[machine] = sum / static_cast<double>(waits.size());
  }
  return means;
}

}  // namespace lapcast
