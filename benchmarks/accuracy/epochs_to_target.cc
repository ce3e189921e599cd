#include "accuracy/epochs_to_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "accuracy/power_law.h"
#include "forecast/epochs_needed.h"

namespace lapcast::accuracy {
namespace {

/// Holds the first half of a run's evaluations and the number of epochs that it really needed.
struct Question {
  const EvaluatedRun* run = nullptr;
  LearningCurve seen;
  double real = 0;
};

struct Answer {
  double baseline = 0;  // absolute errors, percent; infinite for "not reached"
  double ours = 0;
  bool covered = false;
  bool not_reached = false;
};

/// Maps the kind ("row", "part", "fitted") and the group to the answers.
using Answers = std::map<std::pair<std::string, std::string>, std::vector<Answer>>;

std::vector<Question> questions_of(const std::vector<EvaluatedRun>& runs, Dropped& dropped) {
  std::vector<Question> questions;
  for (const EvaluatedRun& run : runs) {
    const auto real = epochs_when_reached(run.curve, run.goal);
    const auto& points = run.curve.points;
    const auto half = static_cast<std::ptrdiff_t>(points.size() / 2);
    if (!real) {
      dropped.add("epochs to target: the run did not reach it");
    } else if (half == 0) {
      dropped.add("epochs to target: a run of one evaluation");
    } else if (*real <= points[static_cast<std::size_t>(half) - 1].epochs) {
      dropped.add("epochs to target: reached in the first half of the evaluations");
    } else {
      Question& question = questions.emplace_back(Question{&run, run.curve, *real});
      question.seen.points.resize(static_cast<std::size_t>(half));
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

/// Returns the value that a share p of them does not exceed. It is no mean of two values, because
/// values may be infinite.
double upper_quantile(std::vector<double> values, double p) {
  const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size()));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::min(at, values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double percent_off(double forecast, double real) {
  return 100 * std::abs(forecast / real - 1);
}

/// Returns nothing when our forecast gives no answer.
std::optional<Answer> answer(const Question& question, std::span<const EarlierCurve> earlier) {
  const EvaluatedRun& run = *question.run;
  const auto ours = epochs_needed(question.seen, {run.goal, run.batch_size, 0}, earlier);
  if (!ours) return std::nullopt;
  Answer result;
  result.baseline = percent_off(baseline_epochs(question), question.real);
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
           const SubmitterParts& parts, Answers& answers, Dropped& dropped) {
  const EvaluatedRun& run = *question.run;
  const auto other = answer(question, earlier_of(run, runs, parts, false));
  const auto same = answer(question, earlier_of(run, runs, parts, true));
  if (!other || !same)
    return dropped.add("epochs to target: ours did not answer, too few evaluations");
  const std::string part = fmt::format(", part {}", parts.part.at(run.submitter) + 1);
  for (const std::string& group : {std::string("all"), run.group}) {
    answers[{"row", group}].push_back(*other);
    answers[{"part", group + part}].push_back(*other);
    answers[{"fitted", group}].push_back(*same);
  }
}

std::string to_text(const std::string& kind, const std::string& group,
                    const std::vector<Answer>& answers) {
  std::vector<double> baseline, ours;
  double covered = 0, not_reached = 0;
  for (const Answer& one : answers) {
    baseline.push_back(one.baseline);
    ours.push_back(one.ours);
    covered += one.covered;
    not_reached += one.not_reached;
  }
  const auto n = static_cast<double>(answers.size());
  return fmt::format(
      "{}\tepochs to target: {}\thalf of the evaluations\t{}\t{:.1f}\t{:.1f}\t{:.1f}"
      "\t{:.1f}\t{:.1f}\t{:.1f}\n",
      kind, group, answers.size(), upper_quantile(baseline, 0.5), upper_quantile(baseline, 0.9),
      upper_quantile(ours, 0.5), upper_quantile(ours, 0.9), 100 * covered / n,
      100 * not_reached / n);
}

}  // namespace

std::vector<std::string> epochs_to_target(const std::vector<EvaluatedRun>& runs,
                                          const SubmitterParts& parts, Dropped& dropped) {
  Answers answers;
  for (const Question& question : questions_of(runs, dropped))
    judge(question, runs, parts, answers, dropped);
  std::vector<std::string> rows;
  for (const char* kind : {"row", "part", "fitted"})
    for (const auto& [key, of_key] : answers)
      if (key.first == kind) rows.push_back(to_text(kind, key.second, of_key));
  return rows;
}

}  // namespace lapcast::accuracy
