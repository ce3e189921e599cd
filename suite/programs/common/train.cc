#include "common/train.h"

#include <lapcast/lap.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ostream>
#include <string>

#include "common/stage.h"

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
  p.answers_requests = plan.answers_requests;
  lapcast_plan(p);
}

/// Scores the samples in batches by trainee.validate or trainee.test.
Score score_all(const TrainPlan& plan, const Trainee& trainee,
                const std::function<Score(int64_t, int64_t)>& batch, int64_t samples) {
  Score score;
  for (int64_t first = 0; first < samples; first += plan.batch) {
    score += batch(first, std::min(plan.batch, samples - first));
  }
  if (trainee.take_validation_score) score += trainee.take_validation_score();
  return trainee.sum ? trainee.sum(score) : score;
}

Score validate(const TrainPlan& plan, const Trainee& trainee, int64_t samples) {
  lapcast_validation_begin();
  const Score score = score_all(plan, trainee, trainee.validate, samples);
  lapcast_validation_end(score.samples);
  return score;
}

void validate_if_asked(const TrainPlan& plan, const Trainee& trainee) {
  if (!plan.answers_requests) return;
  const int64_t wanted =
      trainee.validation_wanted ? trainee.validation_wanted() : lapcast_validation_wanted();
  if (wanted > 0) validate(plan, trainee, std::min(wanted, plan.validation_samples));
}

/// Returns the number of iterations of this epoch: all, or those up to plan.steps.
int64_t iterations_of(const TrainPlan& plan, int64_t epoch) {
  const int64_t whole = plan.iterations_per_epoch();
  if (plan.steps == 0) return whole;
  return std::min(whole, plan.steps - (epoch - 1) * whole);
}

bool is_last(const TrainPlan& plan, int64_t epoch) {
  return plan.steps > 0 ? epoch * plan.iterations_per_epoch() >= plan.steps : epoch >= plan.epochs;
}

void report_lap(int64_t samples, bool finished) {
  if (finished) {
    lapcast_iteration(samples);
  } else {
    lapcast_iteration_queued(samples);
  }
}

Score train_epoch(const TrainPlan& plan, const Trainee& trainee, int64_t epoch,
                  const Progress& progress) {
  lapcast_epoch_begin(epoch);
  trainee.begin_epoch(epoch);
  if (progress.plateau.patience > 0) trainee.scale_rate(progress.plateau.scale);
  Score score;
  const int64_t iterations = iterations_of(plan, epoch);
  for (int64_t i = 0; i < iterations; ++i) {
    const int64_t first = i * plan.batch;
    const int64_t count = std::min(plan.batch, plan.training_samples - first);
    bool finished = trainee.train(first, count);
    if (i + 1 == iterations) {  // The epoch's last lap waits for all laps before it.
      score = trainee.take_training_score();
      finished = true;
    }
    report_lap(plan.share.of(count), finished);
    validate_if_asked(plan, trainee);
  }
  lapcast_epoch_end(epoch);
  if (trainee.settle) trainee.settle();
  return trainee.sum ? trainee.sum(score) : score;
}

void report_metrics(const TrainPlan& plan, const Score& training, const Score& validation) {
  lapcast_metric("loss", training.loss());
  if (plan.counts_correct) lapcast_metric("accuracy", training.accuracy());
  lapcast_metric("val_loss", validation.loss());
  if (plan.counts_correct) lapcast_metric("val_accuracy", validation.accuracy());
}

std::string accuracy_text(const TrainPlan& plan, const char* name, const Score& score) {
  char text[60];
  std::snprintf(text, sizeof text, "  %s %.4f", name, score.accuracy());
  return plan.counts_correct ? text : "";
}

void print_epoch(std::ostream& out, const TrainPlan& plan, int64_t epoch, const Score& training,
                 const Score& validation, double seconds) {
  const std::string accuracy = accuracy_text(plan, "accuracy", training);
  const std::string val_accuracy = accuracy_text(plan, "val_accuracy", validation);
  char line[300];
  std::snprintf(line, sizeof line, "epoch %lld  loss %.4f%s  val_loss %.4f%s  %.2f s\n",
                static_cast<long long>(epoch), training.loss(), accuracy.c_str(), validation.loss(),
                val_accuracy.c_str(), seconds);
  out << line << std::flush;
}

/// Returns the value that early stopping watches, which rises when the network improves.
double quality_of(const TrainPlan& plan, const Score& validation) {
  return plan.counts_correct ? validation.accuracy() : -validation.loss();
}

void evaluate(const TrainPlan& plan, const Trainee& trainee, std::ostream& out) {
  const bool tests = plan.test_samples > 0;
  const int64_t samples = tests ? plan.test_samples : plan.validation_samples;
  Score score;
  {
    const Stage stage("evaluate");
    score = score_all(plan, trainee, tests ? trainee.test : trainee.validate, samples);
  }
  if (!tests) return;
  lapcast_metric("test_loss", score.loss());
  if (plan.counts_correct) lapcast_metric("test_accuracy", score.accuracy());
  char line[100];
  std::snprintf(line, sizeof line, "test_loss %.4f", score.loss());
  out << line << accuracy_text(plan, "test_accuracy", score) << '\n' << std::flush;
}

void save_checkpoint(const TrainPlan& plan, const Trainee& trainee, const Progress& progress,
                     const std::string& name) {
  lapcast_checkpoint_begin();
  lapcast_checkpoint_end(trainee.save(plan.run_dir / name, progress));
}

/// Adds the validation of an epoch to the progress. Returns whether it is the best so far.
bool see_validation(const TrainPlan& plan, const Score& validation, Progress& progress) {
  progress.early.see(quality_of(plan, validation));
  progress.plateau.see(validation.loss());
  if (!(validation.loss() < progress.best_loss)) return false;
  progress.best_loss = validation.loss();
  return true;
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
    const Score training = train_epoch(plan, trainee, epoch, result.progress);
    result.validation = validate(plan, trainee, plan.validation_samples);
    report_metrics(plan, training, result.validation);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    print_epoch(out, plan, epoch, training, result.validation, seconds.count());

    result.progress.epochs_done = epoch;
    const bool is_best = see_validation(plan, result.validation, result.progress);
    result.stopped_early = result.progress.early.should_stop();
    last = is_last(plan, epoch);
    const bool whole = iterations_of(plan, epoch) == plan.iterations_per_epoch();
    if (plan.keeps_best && is_best) save_checkpoint(plan, trainee, result.progress, "best.pt");
    if (plan.checkpoint_every > 0 && epoch % plan.checkpoint_every == 0 && whole) {
      const std::string name = "checkpoint-" + std::to_string(epoch) + ".pt";
      save_checkpoint(plan, trainee, result.progress, name);
    }
  }
  lapcast_stage_end("train");
  if (plan.evaluate) evaluate(plan, trainee, out);
  return result;
}

}  // namespace lapcast::workloads
