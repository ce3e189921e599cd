#include "formats/mllog_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "formats/imported.h"
#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

constexpr std::int64_t kLongestInit = 24 * 3600 * 1'000'000'000LL;

std::int64_t start_of(const MllogDraft& draft, const MllogTimes& times) {
  const std::int64_t run = draft.run_start        ? draft.run_start->time_ns
                           : !times.units.empty() ? times.units.front().begin_ns
                                                  : draft.first_ns;
  if (!draft.init_start) return run;
  const std::int64_t init = draft.init_start->time_ns;
  return init <= run && run - init <= kLongestInit ? init : run;
}

std::int64_t end_of(const MllogDraft& draft, const MllogTimes& times, std::int64_t start) {
  if (draft.run_stop && draft.run_stop->time_ns >= start) return draft.run_stop->time_ns;
  std::int64_t end = start;
  if (!times.units.empty()) end = std::max(end, times.units.back().end_ns);
  if (!times.evaluations.empty()) end = std::max(end, times.evaluations.back().end_ns);
  return end;
}

// Samples -----------------------------------------------------------------------------------------

/// Computes the samples of each unit from the logged epochs it trains and the samples of an epoch.
/// All are 0 when one of them is not known.
class UnitSamples {
 public:
  UnitSamples(const MllogFacts& facts, const MllogTimes& times) : facts_(facts) {
    for (const TimedUnit& unit : times.units) epochs_ += unit.epochs;
    for (const TimedUnit& unit : times.units) samples_.push_back(of(unit, times.unit));
    const bool known = std::all_of(samples_.begin(), samples_.end(),
                                   [](double s) { return s > 0 && std::isfinite(s); });
    if (!known) samples_.assign(samples_.size(), 0);
    const double most = samples_.empty() ? 0 : *std::max_element(samples_.begin(), samples_.end());
    while (most / divisor_ > static_cast<double>(kMaxSamples)) divisor_ *= 1000;
  }

  std::int64_t operator[](std::size_t i) const { return lap_samples(samples_[i] / divisor_); }
  double divisor() const { return divisor_; }
  std::int64_t usual() const {
    return samples_.empty() ? 0 : lap_samples(upper_median(samples_) / divisor_);
  }
  /// Returns all samples in units of usual(), or the number of units if samples are not known.
  std::int64_t in_usual_units() const {
    if (usual() == 0) return static_cast<std::int64_t>(samples_.size());
    double sum = 0;
    for (const double samples : samples_) sum += samples / divisor_;
    return std::max<std::int64_t>(1, lap_samples(sum / static_cast<double>(usual())));
  }

 private:
  double of(const TimedUnit& unit, MllogUnit kind) const {
    if (unit.samples > 0) return unit.samples;
    // BERT has no epochs: its logs count samples at evaluations, and iterations of blocks.
    if (facts_.benchmark == "bert" && kind != MllogUnit::epoch) {
      if (kind == MllogUnit::between_evaluations && unit.epochs > 1) return unit.epochs;
      if (kind == MllogUnit::block) return unit.epochs * facts_.global_batch_size;
    }
    if (facts_.train_samples_at_end) {
      return epochs_ > 0 ? facts_.train_samples * unit.epochs / epochs_ : 0;
    }
    return facts_.train_samples * unit.epochs;
  }

  const MllogFacts& facts_;
  double epochs_ = 0;
  double divisor_ = 1;
  std::vector<double> samples_;
};

// The lap log -------------------------------------------------------------------------------------

bool timed(const TimedEvaluation& evaluation) {
  return evaluation.end_ns > evaluation.begin_ns;
}

/// Returns at least 1 if an evaluation is timed, since a plan with 0 samples has no validation. In
/// an unfinished log without evaluations they may still come.
std::int64_t evaluation_samples(const MllogDraft& draft, const MllogTimes& times) {
  const bool may_come = times.evaluations.empty() && !draft.run_stop;
  if (std::ranges::any_of(times.evaluations, timed))
    return std::max<std::int64_t>(1, lap_samples(draft.facts.eval_samples));
  return may_come ? lap_samples(draft.facts.eval_samples) : 0;
}

// Only ResNet's accuracy is a share; others are a BLEU score or an error rate.
std::string_view metric_name(const MllogFacts& facts) {
  return facts.benchmark == "resnet" ? "val_accuracy" : "eval_accuracy";
}

std::string lap_log_of(const MllogDraft& draft, const MllogTimes& times, const UnitSamples& samples,
                       std::int64_t start) {
  const std::int64_t validation = evaluation_samples(draft, times);
  LapLogText log(from_ns(start).count(), "mllog");
  log.plan({.epochs = samples.in_usual_units(),
            .iterations_per_epoch = 1,
            .batch_size = static_cast<double>(lap_samples(draft.facts.global_batch_size)),
            .training_samples = samples.usual(),
            .validation_samples = validation,
            .validate_every = times.evaluate_every,
            .validate_from = times.evaluate_from});
  if (draft.run_start) log.stage_begin(draft.run_start->time_ns - start, "train");
  auto evaluation = times.evaluations.begin();
  const auto evaluations_until = [&](std::int64_t until_ns) {
    for (; evaluation != times.evaluations.end() && evaluation->begin_ns <= until_ns;
         ++evaluation) {
      const std::int64_t end = evaluation->end_ns - start;
      if (timed(*evaluation)) log.validation(evaluation->begin_ns - start, end, validation);
      if (evaluation->accuracy) log.metric(end, metric_name(draft.facts), *evaluation->accuracy);
    }
  };
  for (std::size_t i = 0; i < times.units.size(); ++i) {
    const TimedUnit& unit = times.units[i];
    evaluations_until(unit.begin_ns);
    log.whole_epoch(unit.begin_ns - start, unit.end_ns - start, static_cast<std::int32_t>(i + 1),
                    samples[i]);
  }
  evaluations_until(std::numeric_limits<std::int64_t>::max());
  if (draft.run_start && draft.run_stop) log.stage_end(draft.run_stop->time_ns - start, "train");
  if (draft.run_stop && draft.run_stop->time_ns >= start) log.bye(draft.run_stop->time_ns - start);
  return log.text();
}

// Warnings ---------------------------------------------------------------------------------------

std::string laps_are(const MllogTimes& times, const UnitSamples& samples) {
  std::string text = fmt::format("laps and epochs are the log's {}", to_string(times.unit));
  if (times.unit != MllogUnit::epoch && samples.usual() > 0) {
    text += fmt::format(" of {} samples", samples.usual());
  }
  if (samples.divisor() > 1)
    text += fmt::format(" (counted in units of {:.0f})", samples.divisor());
  return text;
}

std::vector<std::string> warnings_of(const MllogDraft& draft, const MllogTimes& times,
                                     const UnitSamples& samples, std::int64_t start) {
  std::vector<std::string> warnings = times.warnings;
  if (!times.units.empty()) {
    warnings.insert(warnings.begin(), laps_are(times, samples));
  }
  if (!draft.run_start)
    warnings.emplace_back("no run_start: the run begins with what is logged first");
  if (!draft.run_stop) {
    warnings.emplace_back("no run_stop: the log was cut off, or the run was");
  } else if (draft.run_stop->time_ns < start) {
    warnings.push_back(fmt::format("line {}: run_stop is before the start: the clock jumps back",
                                   draft.run_stop->line));
  } else if (!draft.run_stop->text.empty() && draft.run_stop->text != "success") {
    warnings.push_back(fmt::format("the log says that the run ended with: {}",
                                   printable(draft.run_stop->text, 40)));
  }
  if (draft.init_start && draft.run_start && start == draft.run_start->time_ns &&
      start != draft.init_start->time_ns) {
    warnings.push_back(fmt::format(
        "line {}: init_start is {} run_start: the clock jumps; it is "
        "left out",
        draft.init_start->line, draft.init_start->time_ns > start ? "after" : "long before"));
  }
  draft.far_off.tell(warnings, "events were left out so");
  if (draft.repeated > 0) {
    warnings.push_back(
        fmt::format("{} events repeated by other ranks were left out", draft.repeated));
  }
  if (draft.too_many > 0) {
    warnings.push_back(fmt::format("{} events were left out: a run may have {}", draft.too_many,
                                   MllogDrafts::kMostEvents));
  }
  return warnings;
}

Outcome outcome_of(const MllogDraft& draft, const MllogTimes& times, bool ended) {
  if (times.units.empty()) {
    return outcome::NoLaps{draft.events.empty()
                               ? "the log times no epoch, block or evaluation"
                               : "no epoch, block or evaluation in the log is whole"};
  }
  if (!ended) return outcome::BudgetSpent{"the log has no run_stop"};
  return outcome::Ended{};
}

std::string id_of(const MllogDraft& draft) {
  ImportedRunId run_id("mllog");
  for (const auto& moment : {draft.init_start, draft.run_start, draft.run_stop}) {
    run_id.add(moment ? moment->time_ns : 0);
  }
  for (const MllogEvent& event : draft.events) {
    run_id.add(static_cast<std::int64_t>(event.key));
    run_id.add(event.time_ns);
  }
  run_id.add(draft.facts.benchmark);
  run_id.add(draft.facts.org);
  run_id.add(draft.facts.platform);
  return run_id.id();
}

RunContext context_of(const MllogDraft& draft, const std::string& source) {
  const MllogFacts& facts = draft.facts;
  RunContext context = imported_context("mllog", source, printable(facts.benchmark, 60),
                                        printable(facts.platform, 100));
  context.id = id_of(draft);
  if (facts.global_batch_size > 0 && facts.global_batch_size < 1e12) {
    context.settings["batch"] = fmt::format("{:.0f}", facts.global_batch_size);
  }
  if (!facts.org.empty()) context.settings["org"] = printable(facts.org, 60);
  return context;
}

}  // namespace

Run mllog_run(const MllogDraft& draft, const std::string& source, std::optional<MllogUnit> laps) {
  const MllogTimes times = times_of(draft, laps);
  const UnitSamples samples(draft.facts, times);
  const std::int64_t start = start_of(draft, times);
  Run run;
  run.context = context_of(draft, source);
  run.context.started_at = utc_text(from_ns(start).count());
  run.ended_ns = end_of(draft, times, start) - start;
  const bool ended = draft.run_stop && draft.run_stop->time_ns >= start;
  run.outcome = outcome_of(draft, times, ended);
  run.context.kind = ended ? RunKind::full : RunKind::probe;
  run.lap_logs = {lap_log_of(draft, times, samples, start)};
  run.warnings = warnings_of(draft, times, samples, start);
  return run;
}

}  // namespace lapcast
