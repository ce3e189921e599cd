#include "common/train.h"

#include <lapcast/lap.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ostream>
#include <string>

namespace lapcast::workloads {
namespace {

void report_plan(const TrainPlan& plan) {
  lapcast_plan_t p = {};
  p.epochs = plan.steps > 0 ? 0 : plan.epochs;
  p.steps = plan.steps;
  p.iterations_per_epoch = plan.iterations_per_epoch();
  p.batch_size = plan.batch;
  p.training_samples = plan.training_samples;
  p.validation_samples = plan.validation_samples;
  p.answers_requests = 1;
  lapcast_plan(p);
}

Score validate(const TrainPlan& plan, const Trainee& trainee, int64_t samples) {
  lapcast_validation_begin();
  Score score;
  for (int64_t first = 0; first < samples; first += plan.batch) {
    score += trainee.validate(first, std::min(plan.batch, samples - first));
  }
  lapcast_validation_end(score.samples);
  return score;
}

void validate_if_asked(const TrainPlan& plan, const Trainee& trainee) {
  const int64_t wanted = lapcast_validation_wanted();
  if (wanted > 0) validate(plan, trainee, std::min(wanted, plan.validation_samples));
}

/// Iterations of this epoch: all, or those up to plan.steps.
int64_t iterations_of(const TrainPlan& plan, int64_t epoch) {
  const int64_t whole = plan.iterations_per_epoch();
  if (plan.steps == 0) return whole;
  return std::min(whole, plan.steps - (epoch - 1) * whole);
}

bool is_last(const TrainPlan& plan, int64_t epoch) {
  return plan.steps > 0 ? epoch * plan.iterations_per_epoch() >= plan.steps : epoch >= plan.epochs;
}

Score train_epoch(const TrainPlan& plan, const Trainee& trainee, int64_t epoch) {
  lapcast_epoch_begin(epoch);
  trainee.begin_epoch(epoch);
  Score score;
  for (int64_t i = 0; i < iterations_of(plan, epoch); ++i) {
    const int64_t first = i * plan.batch;
    const int64_t count = std::min(plan.batch, plan.training_samples - first);
    score += trainee.train(first, count);
    lapcast_iteration(count);
    validate_if_asked(plan, trainee);
  }
  lapcast_epoch_end(epoch);
  return score;
}

void report_metrics(const Score& training, const Score& validation) {
  lapcast_metric("loss", training.loss());
  lapcast_metric("accuracy", training.accuracy());
  lapcast_metric("val_loss", validation.loss());
  lapcast_metric("val_accuracy", validation.accuracy());
}

void print_epoch(std::ostream& out, int64_t epoch, const Score& training, const Score& validation,
                 double seconds) {
  char line[200];
  std::snprintf(line, sizeof line,
                "epoch %lld  loss %.4f  accuracy %.4f  val_loss %.4f  val_accuracy %.4f  %.2f s\n",
                static_cast<long long>(epoch), training.loss(), training.accuracy(),
                validation.loss(), validation.accuracy(), seconds);
  out << line << std::flush;
}

void save_checkpoint(const TrainPlan& plan, const Trainee& trainee, const Progress& progress) {
  const std::string name = "checkpoint-" + std::to_string(progress.epochs_done) + ".pt";
  lapcast_checkpoint_begin();
  lapcast_checkpoint_end(trainee.save(plan.run_dir / name, progress));
}

}  // namespace

Score& Score::operator+=(const Score& other) {
  loss_sum += other.loss_sum;
  correct += other.correct;
  samples += other.samples;
  return *this;
}

TrainResult train(const TrainPlan& plan, const Trainee& trainee, std::ostream& out) {
  using Clock = std::chrono::steady_clock;
  TrainResult result{plan.progress, {}, false};
  report_plan(plan);
  lapcast_stage_begin("train");
  bool last = plan.progress.epochs_done > 0 && is_last(plan, plan.progress.epochs_done);
  while (!last && !result.stopped_early) {
    const int64_t epoch = result.progress.epochs_done + 1;
    const auto begin = Clock::now();
    const Score training = train_epoch(plan, trainee, epoch);
    result.validation = validate(plan, trainee, plan.validation_samples);
    report_metrics(training, result.validation);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    print_epoch(out, epoch, training, result.validation, seconds.count());

    result.progress.epochs_done = epoch;
    result.progress.early.see(result.validation.accuracy());
    result.stopped_early = result.progress.early.should_stop();
    last = is_last(plan, epoch);
    const bool whole = iterations_of(plan, epoch) == plan.iterations_per_epoch();
    if (plan.checkpoint_every > 0 && epoch % plan.checkpoint_every == 0 && whole) {
      save_checkpoint(plan, trainee, result.progress);
    }
  }
  lapcast_stage_end("train");
  return result;
}

}  // namespace lapcast::workloads
