#include "formats/logged_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "formats/imported.h"

namespace lapcast {
namespace {

// An evaluation shorter than this share of its interval is in the noise of the steps.
constexpr double kLeastShare = 0.1;

}  // namespace

bool LoggedSteps::point(std::int64_t at_ns, std::int64_t step) {
  if (!points_.empty() && (step <= points_.back().step || at_ns <= points_.back().at_ns))
    return false;
  points_.push_back({at_ns, step});
  return true;
}

void LoggedSteps::metric(std::int64_t at_ns, std::string name, double value) {
  metrics_.push_back({at_ns, std::move(name), value});
}

std::int64_t LoggedSteps::steps_per_lap() const {
  if (points_.size() < 2) return 1;
  const std::int64_t steps = points_.back().step - points_.front().step;
  return (steps + kMostLaps - 1) / kMostLaps;
}

std::string LoggedSteps::what_laps_are(std::string_view points_of) const {
  const std::int64_t each = steps_per_lap();
  return fmt::format("laps are {}; those between two logged points of {} share their time",
                     each == 1 ? std::string("steps") : fmt::format("{} steps each", each),
                     printable(points_of, 60));
}

std::vector<LoggedSteps::Stretch> LoggedSteps::stretches() const {
  std::vector<Stretch> found;
  std::vector<std::int64_t> ends = evaluations_;
  std::ranges::sort(ends);
  for (std::size_t i = 1; i < points_.size(); ++i) {
    Stretch stretch{points_[i - 1], points_[i]};
    const auto after = std::ranges::upper_bound(ends, stretch.to.at_ns);
    if (after != ends.begin() && *std::prev(after) > stretch.from.at_ns)
      stretch.evaluated_ns = *std::prev(after);
    found.push_back(stretch);
  }
  if (found.empty()) return found;
  const Point first = points_.front();
  const double step_ns = usual_step_ns(found);
  const auto before_ns = static_cast<std::int64_t>(static_cast<double>(first.step) * step_ns);
  const bool from_the_start = first.step > 0 && first.step <= found.front().steps();
  if (from_the_start)
    found.insert(found.begin(), {{std::max<std::int64_t>(0, first.at_ns - before_ns), 0}, first});
  return found;
}

/// Returns the median time of a step where nothing was evaluated, or of all where each interval has
/// an evaluation.
double LoggedSteps::usual_step_ns(const std::vector<Stretch>& stretches) {
  std::vector<double> plain, all;
  for (const Stretch& stretch : stretches) {
    const double each = static_cast<double>(stretch.ns()) / static_cast<double>(stretch.steps());
    all.push_back(each);
    if (stretch.evaluated_ns < 0) plain.push_back(each);
  }
  return upper_median(plain.empty() ? all : plain);
}

/// Adds the laps of a stretch, and its evaluation where it takes longer than its steps do
/// elsewhere.
void LoggedSteps::add_moments(const Stretch& stretch, double usual_ns,
                              std::vector<Moment>& moments) const {
  const auto length_ns = static_cast<double>(stretch.ns());
  const auto steps = static_cast<double>(stretch.steps());
  double evaluation_ns = stretch.evaluated_ns < 0 ? 0 : length_ns - usual_ns * steps;
  if (evaluation_ns < kLeastShare * length_ns) evaluation_ns = 0;
  const auto lasts_ns = static_cast<std::int64_t>(evaluation_ns);
  std::int64_t begin_ns = stretch.to.at_ns;
  if (lasts_ns > 0) {
    begin_ns = std::max(stretch.from.at_ns, stretch.evaluated_ns - lasts_ns);
    moments.push_back({begin_ns, Moment::validation, begin_ns + lasts_ns});
  }
  const std::int64_t each = steps_per_lap();
  // A lap ends where its last step does; what remains of a stretch counts for the next lap.
  for (std::int64_t step = (stretch.from.step / each + 1) * each; step <= stretch.to.step;
       step += each) {
    const double share = static_cast<double>(step - stretch.from.step) / steps;
    std::int64_t at_ns =
        stretch.from.at_ns + std::llround(share * static_cast<double>(stretch.ns() - lasts_ns));
    if (at_ns > begin_ns) at_ns += lasts_ns;
    moments.push_back({at_ns, Moment::lap});
  }
}

std::string LoggedSteps::lap_log(double wall_seconds, std::string_view format) const {
  LapLogText log(wall_seconds, format);
  const std::vector<Stretch> all = stretches();
  TrainingPlan plan;
  if (!all.empty()) {
    const std::int64_t steps = all.back().to.step - all.front().from.step;
    plan.steps = std::max<std::int64_t>(1, steps / steps_per_lap());
  }
  log.plan(plan);
  std::vector<Moment> moments;
  const double usual_ns = all.empty() ? 0 : usual_step_ns(all);
  for (const Stretch& stretch : all) add_moments(stretch, usual_ns, moments);
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    moments.push_back({metrics_[i].at_ns, Moment::metric, 0, i});
  std::ranges::sort(moments, {},
                    [](const Moment& m) { return std::tuple(m.at_ns, m.kind, m.index); });
  // The time before the first step was the start.
  if (!all.empty()) log.stage_begin(all.front().from.at_ns, "train");
  for (const Moment& moment : moments) {
    if (moment.kind == Moment::lap) log.lap(moment.at_ns, 0);
    if (moment.kind == Moment::validation) log.validation(moment.at_ns, moment.end_ns, 1);
    if (moment.kind == Moment::metric)
      log.metric(moment.at_ns, metrics_[moment.index].name, metrics_[moment.index].value);
  }
  if (!all.empty()) log.stage_end(all.back().to.at_ns, "train");
  return log.text();
}

bool is_of_evaluation(std::string_view metric) {
  std::string word;
  const auto is_one = [&word] {
    constexpr std::string_view kWords[] = {"eval",       "evaluation", "val", "valid",
                                           "validation", "test",       "dev"};
    return std::ranges::find(kWords, word) != std::end(kWords);
  };
  for (const char c : metric) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (is_one()) return true;
    word.clear();
  }
  return is_one();
}

}  // namespace lapcast
