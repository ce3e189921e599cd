#include "accuracy/epochs_to_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "accuracy/power_law.h"
#include "forecast/epochs_needed.h"

namespace lapcast::accuracy {
namespace {

constexpr int kShares[] = {30, 50, 70};  // of a run's evaluations that are seen, in percent

/// Holds the first evaluations of a run and the number of epochs that it really needed.
struct Question {
  const EvaluatedRun* run = nullptr;
  int share = 0;  // one of kShares
  LearningCurve seen;
  double real = 0;
};

struct Answer {
  // Absolute errors, percent; infinite for "not reached" and where there is no forecast.
  double power_law = 0;
  double twice = 0;  // of the epochs that were seen
  double ours = std::numeric_limits<double>::infinity();
  bool covered = false;
  bool not_reached = false;
};

/// Maps the group, the share and the kind ("row", "alone", "fitted") to the answers.
using Answers = std::map<std::tuple<std::string, int, std::string>, std::vector<Answer>>;

std::vector<Question> questions_of(const std::vector<EvaluatedRun>& runs, Dropped& dropped) {
  std::vector<Question> questions;
  for (const EvaluatedRun& run : runs) {
    const auto real = epochs_when_reached(run.curve, run.goal);
    const auto& points = run.curve.points;
    if (!real) {
      dropped.add("epochs to target: the run did not reach it");
      continue;
    }
    // The evaluations until the target: what comes later is not part of the training.
    const auto all = std::ranges::count_if(
        points, [&](const CurvePoint& point) { return point.epochs <= *real; });
    for (const int share : kShares) {
      const auto seen = static_cast<std::size_t>(all * share / 100);
      if (seen == 0) {
        dropped.add(fmt::format("epochs to target: no evaluation within {} %", share));
        continue;
      }
      Question& question = questions.emplace_back(Question{&run, share, run.curve, *real});
      question.seen.points.resize(seen);
    }
  }
  return questions;
}

double baseline_epochs(const Question& question) {
  const TrainingGoal& goal = question.run->goal;
  const double sign = goal.smaller_is_better ? -1 : 1;
  std::vector<CurvePoint> points = question.seen.points;
  for (CurvePoint& point : points) point.value *= sign;
  return power_law_epochs(points, sign * *goal.target);
}

/// Returns the value that a share p of them does not exceed. It is not a mean of two values,
/// because values may be infinite.
double upper_quantile(std::vector<double> values, double p) {
  const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size()));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::min(at, values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double percent_off(double forecast, double real) {
  return 100 * std::abs(forecast / real - 1);
}

/// Returns what stands beside lapcast's own forecast, which `earlier` does not change.
Answer baselines_of(const Question& question) {
  return {.power_law = percent_off(baseline_epochs(question), question.real),
          .twice = percent_off(2 * question.seen.points.back().epochs, question.real)};
}

Answer answer(const Question& question, Answer result, std::span<const EarlierCurve> earlier) {
  const EvaluatedRun& run = *question.run;
  const auto ours = epochs_needed(question.seen, {run.goal, run.batch_size, 0}, earlier);
  if (!ours) return result;
  result.ours = percent_off(ours->epochs.mid, question.real);
  result.not_reached = ours->chance_reached < 0.5;
  const double rounding = 1e-9 * question.real;
  result.covered =
      ours->epochs.low <= question.real + rounding && question.real <= ours->epochs.high + rounding;
  return result;
}

/// Returns the earlier runs of the same benchmark, from the other part of the submitters or from
/// the same part.
std::vector<EarlierCurve> earlier_of(const EvaluatedRun& run, const std::vector<EvaluatedRun>& runs,
                                     const SubmitterParts& parts, bool same_part) {
  std::vector<EarlierCurve> earlier;
  const int part = parts.part.at(run.submitter);
  for (const EvaluatedRun& other : runs) {
    if (other.group != run.group || &other == &run) continue;
    if ((parts.part.at(other.submitter) == part) != same_part) continue;
    earlier.push_back({other.run, other.curve, other.batch_size});
  }
  return earlier;
}

void judge(const Question& question, const std::vector<EvaluatedRun>& runs,
           const SubmitterParts& parts, Answers& answers) {
  const EvaluatedRun& run = *question.run;
  const Answer baselines = baselines_of(question);
  const std::pair<const char*, Answer> kinds[] = {
      {"row", answer(question, baselines, earlier_of(run, runs, parts, false))},
      {"alone", answer(question, baselines, {})},
      {"fitted", answer(question, baselines, earlier_of(run, runs, parts, true))}};
  for (const std::string& group : {std::string("all"), run.group})
    for (const auto& [kind, made] : kinds) answers[{group, question.share, kind}].push_back(made);
}

/// Returns "\t6.3\t15.0", the median and the 90th percentile.
std::string errors_text(const std::vector<Answer>& answers, double Answer::*error) {
  std::vector<double> errors;
  for (const Answer& each : answers) errors.push_back(each.*error);
  return fmt::format("\t{:.1f}\t{:.1f}", upper_quantile(errors, 0.5), upper_quantile(errors, 0.9));
}

double percent_of(const std::vector<Answer>& answers, bool Answer::*fact) {
  return 100 * static_cast<double>(std::ranges::count(answers, true, fact)) /
         static_cast<double>(answers.size());
}

}  // namespace

std::vector<std::string> epochs_to_target(const std::vector<EvaluatedRun>& runs,
                                          const SubmitterParts& parts, Dropped& dropped) {
  Answers answers;
  for (const Question& question : questions_of(runs, dropped))
    judge(question, runs, parts, answers);
  std::vector<std::string> rows;
  for (const auto& [key, made] : answers) {
    const auto& [group, share, kind] = key;
    rows.push_back(
        fmt::format("{}\tepochs to target: {}\t{} % of the evaluations\t{}{}{}{}\t{:.1f}\t{:.1f}\n",
                    kind, group, share, made.size(), errors_text(made, &Answer::power_law),
                    errors_text(made, &Answer::twice), errors_text(made, &Answer::ours),
                    percent_of(made, &Answer::covered), percent_of(made, &Answer::not_reached)));
  }
  return rows;
}

}  // namespace lapcast::accuracy
