#include "formats/logged_scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units.h"

namespace lapcast {

void LoggedScalars::add(std::string_view tag, Scalar scalar) {
  tag = tag.substr(0, kLongestTag);
  auto known = tag_numbers_.find(tag);
  if (points_.size() >= kMostPoints || (known == tag_numbers_.end() && tags_.size() >= kMostTags)) {
    ++too_many_;
    return;
  }
  if (known == tag_numbers_.end()) {
    known = tag_numbers_.emplace(tag, tags_.size()).first;
    tags_.emplace_back(tag);
  }
  points_.push_back({scalar, known->second});
}

/// Returns the tag with the most values; those of evaluations and of the system come behind all
/// others.
std::size_t LoggedScalars::main_tag() const {
  std::vector<std::pair<bool, std::size_t>> counts;
  for (const std::string& tag : tags_)
    counts.emplace_back(!is_of_evaluation(tag) && !tag.starts_with("system/"), 0);
  for (const Point& point : points_) ++counts[point.tag].second;
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

LoggedSteps LoggedScalars::steps(std::int64_t first_ns, std::string_view place, ImportedRunId& id,
                                 std::vector<std::string>& warnings) const {
  const std::size_t main = main_tag();
  LoggedSteps steps;
  std::int64_t last_step = 0;
  ProblemCount dropped(place);
  for (const Point& point : points_) {
    const std::int64_t at_ns = point.at_ns - first_ns;
    if (point.tag == main) {
      if (steps.point(at_ns, point.step)) {
        last_step = point.step;
        id.add(point.at_ns);
        id.add(point.step);
      } else {
        dropped.add(point.place, point.step <= last_step
                                     ? fmt::format("step {} after step {}", point.step, last_step)
                                     : std::string("the clock jumps back"));
      }
    } else if (is_of_evaluation(tags_[point.tag])) {
      steps.evaluation(at_ns);
    }
    steps.metric(at_ns, tags_[point.tag], point.value);
  }
  if (dropped.count() > 0)
    warnings.push_back(fmt::format("{}; left out, {} in all", dropped.first(), dropped.count()));
  return steps;
}

Run LoggedScalars::run(std::string_view format, const std::string& source,
                       const std::string& machine, std::int64_t first_ns,
                       std::string_view place) const {
  Run run;
  const std::string& main = tags_[main_tag()];
  ImportedRunId run_id(format);
  const LoggedSteps logged = steps(first_ns, place, run_id, run.warnings);
  run_id.add(tags_.front());
  run.context = imported_context(format, source, printable(main, 60), machine);
  run.context.id = run_id.id();
  const double start = static_cast<double>(first_ns) * 1e-9;
  run.context.started_at = utc_text(start);
  run.ended_ns = logged.end_ns();
  run.lap_logs = {logged.lap_log(start, format)};
  run.outcome = outcome::BudgetSpent{"such a log does not say whether the training had ended"};
  if (logged.points() < 2) run.outcome = outcome::NoLaps{"fewer than two steps were logged"};
  run.warnings.push_back(logged.what_laps_are(fmt::format("'{}'", main)));
  if (too_many_ > 0)
    run.warnings.push_back(fmt::format("{} scalars were left out: a log may have {}, of {} tags",
                                       too_many_, kMostPoints, kMostTags));
  return run;
}

}  // namespace lapcast
