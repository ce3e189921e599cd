#include "scaling/scaling_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lapcast::scaling {
namespace {

using shortlist::Judged;
using ProgramRows = std::vector<const ScalingRow*>;

bool is_same(const Workers& a, const Workers& b) {
  return a.nodes == b.nodes && std::abs(a.in_node - b.in_node) < 1e-9;
}

/// Holds the laps of one program at one batch.
struct BatchCase {
  ProgramRows probes;  // in the order of the question
  ProgramRows judged;
};

std::optional<BatchCase> case_of(const ProgramRows& rows, const ScalingQuestion& question) {
  BatchCase result;
  if (question.probes.empty())
    result.probes.push_back(*std::ranges::min_element(
        rows, {}, [](const ScalingRow* row) { return row->workers.all(); }));
  for (const Workers& wanted : question.probes) {
    const auto found = std::ranges::find_if(
        rows, [&](const ScalingRow* row) { return row->is_even && is_same(row->workers, wanted); });
    if (found == rows.end()) return std::nullopt;
    result.probes.push_back(*found);
  }
  for (const ScalingRow* row : rows)
    if (question.is_judged(*row) &&
        std::ranges::none_of(result.probes, [&](const ScalingRow* probe) {
          return is_same(probe->workers, row->workers) && probe->is_even == row->is_even;
        }))
      result.judged.push_back(row);
  return result;
}

Judged exactly(const ScalingRow& row, double forecast) {
  const double error = forecast - row.log_seconds;
  return {row.task, error, error, error};
}

void answer_program(const std::vector<BatchCase>& cases, const WorkerScalingPrior& prior,
                    ScalingAnswers& answers) {
  WorkerScaling model(prior);
  std::vector<WorkerScaling::Asked> asked;
  for (std::size_t work = 0; work < cases.size(); ++work) {
    for (const ScalingRow* row : cases[work].probes)
      model.add_lap(work, row->workers, row->log_seconds);
    for (const ScalingRow* row : cases[work].judged) asked.push_back({work, row->workers});
  }
  if (asked.empty()) return;
  const std::vector<Interval<double>> intervals = model.forecast(asked);
  std::size_t at = 0;
  for (const BatchCase& one : cases)
    for (const ScalingRow* row : one.judged) {
      const Interval<double>& lap = intervals[at++];
      const double truth = row->log_seconds;
      answers.ours.push_back({row->task, lap.mid - truth, lap.low - truth, lap.high - truth});
      const double first = std::exp(one.probes[0]->log_seconds);
      answers.ideal.push_back(exactly(*row, std::log(first)));
      if (one.probes.size() < 2) continue;
      const auto part = [](const Workers& w) { return 1 - 1 / w.all(); };
      const double sync =
          (std::exp(one.probes.back()->log_seconds) - first) / part(one.probes.back()->workers);
      answers.ring.push_back(
          exactly(*row, std::log(std::max(first + sync * part(row->workers), first / 10))));
    }
}

}  // namespace

ScalingAnswers answer(const std::vector<ScalingRow>& rows, const ScalingQuestion& question,
                      const WorkerScalingPrior& prior) {
  std::map<std::string, std::map<double, ProgramRows>> programs;
  for (const ScalingRow& row : rows) programs[row.program][row.batch].push_back(&row);
  ScalingAnswers answers;
  for (const auto& [name, batches] : programs) {
    std::vector<BatchCase> cases;
    for (const auto& [batch, of_batch] : batches)
      if (auto one = case_of(of_batch, question)) cases.push_back(*std::move(one));
    if (question.all_batches) {
      answer_program(cases, prior, answers);
    } else {
      for (const BatchCase& one : cases) answer_program({one}, prior, answers);
    }
  }
  return answers;
}

ScalingAnswers answer_cross_fitted(const std::vector<ScalingRow>& rows,
                                   const ScalingQuestion& question) {
  struct Noises {
    double lap, forecast;
  };
  constexpr Noises kNoises[] = {{.015, .03}, {.03, .05}, {.05, .08}, {.06, .06}, {.06, .10}};
  std::vector<ScalingAnswers> all;
  std::set<std::string> tasks;
  for (const Noises& noises : kNoises) {
    WorkerScalingPrior prior;
    prior.lap_noise = noises.lap;
    prior.forecast_noise = noises.forecast;
    all.push_back(answer(rows, question, prior));
  }
  for (const Judged& one : all[0].ours) tasks.insert(one.task);
  ScalingAnswers result{{}, all[0].ideal, all[0].ring};
  std::map<std::size_t, int> times_chosen;
  for (const std::string& task : tasks) {
    const auto split = [&](const ScalingAnswers& answers, bool own) {
      std::vector<Judged> kept;
      for (const Judged& one : answers.ours)
        if ((one.task == task) == own) kept.push_back(one);
      return kept;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
      if (score_of(split(all[i], false)) > score_of(split(all[best], false))) best = i;
    ++times_chosen[best];
    const auto kept = split(all[best], true);
    result.ours.insert(result.ours.end(), kept.begin(), kept.end());
  }
  for (const auto& [i, times] : times_chosen)
    std::printf("    %d of %zu networks: noise %g and %g\n", times, tasks.size(), kNoises[i].lap,
                kNoises[i].forecast);
  return result;
}

}  // namespace lapcast::scaling
