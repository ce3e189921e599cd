#include "formats/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/units.h"
#include "formats/imported.h"

namespace lapcast {
namespace {

constexpr double kFirstEventSecond = 1e9;  // 2001
constexpr double kLastEventSecond = 4.1e9;

std::int64_t nanoseconds(double wall_time) {
  if (!(wall_time > kFirstEventSecond && wall_time < kLastEventSecond)) return 0;
  return std::llround(wall_time * 1e6) * 1000;  // at this size a double resolves microseconds
}

}  // namespace

void TensorboardReader::feed(std::string_view piece) {
  records_.feed(piece, [this](std::string_view record) { take(record); });
}

void TensorboardReader::take(std::string_view record) {
  const auto event = parse_summary_event(record);
  const std::int64_t at_ns = event ? nanoseconds(event->wall_time) : 0;
  if (first_ns_ == 0) first_ns_ = at_ns;
  if (at_ns == 0 || std::abs(at_ns - first_ns_) > kLongestRunNs) {
    ++no_event_;
    return;
  }
  for (const SummaryEvent::Scalar& scalar : event->scalars) {
    take_scalar(scalar.tag, scalar.value, {records_.records(), at_ns, event->step, 0, 0});
  }
}

void TensorboardReader::take_scalar(std::string_view tag, double value, Point point) {
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
  point.tag = known->second;
  point.value = value;
  points_.push_back(point);
}

std::size_t TensorboardReader::main_tag() const {
  std::vector<std::size_t> counts(tags_.size());
  for (const Point& point : points_) ++counts[point.tag];
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// Returns the points of the main tag whose steps and times increase.
std::vector<TensorboardReader::Point> TensorboardReader::lap_ends(
    std::vector<std::string>& warnings) const {
  const std::size_t tag = main_tag();
  std::vector<Point> ends;
  ProblemCount dropped("record");
  for (const Point& point : points_) {
    if (point.tag != tag) continue;
    if (ends.empty() || (point.step > ends.back().step && point.at_ns > ends.back().at_ns)) {
      ends.push_back(point);
    } else {
      dropped.add(point.record,
                  point.step <= ends.back().step
                      ? fmt::format("step {} after step {}", point.step, ends.back().step)
                      : std::string("the clock jumps back"));
    }
  }
  if (dropped.count() > 0)
    warnings.push_back(fmt::format("{}; left out, {} in all", dropped.first(), dropped.count()));
  return ends;
}

std::string TensorboardReader::lap_log(const std::vector<Point>& ends) const {
  std::vector<double> steps;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    steps.push_back(static_cast<double>(ends[i].step) - static_cast<double>(ends[i - 1].step));
  }
  LapLogText log(static_cast<double>(first_ns_) * 1e-9, "tensorboard");
  TrainingPlan plan;
  if (!steps.empty()) {
    const double all = std::accumulate(steps.begin(), steps.end(), 0.0);
    plan.steps = std::max<std::int64_t>(1, lap_samples(all / upper_median(steps)));
  }
  log.plan(plan);
  std::size_t next = 0;
  for (const Point& point : points_) {
    const std::int64_t at_ns = point.at_ns - first_ns_;
    if (next < ends.size() && point.record == ends[next].record && point.tag == ends[next].tag) {
      // The time before the first logged step was the start.
      if (next == 0) log.stage_begin(at_ns, "train");
      if (next > 0) {
        log.lap(at_ns, lap_samples(static_cast<double>(point.step) -
                                   static_cast<double>(ends[next - 1].step)));
      }
      ++next;
    }
    log.metric(at_ns, tags_[point.tag], point.value);
  }
  if (!ends.empty()) log.stage_end(ends.back().at_ns - first_ns_, "train");
  return log.text();
}

std::vector<std::string> TensorboardReader::problems() const {
  std::vector<std::string> problems;
  if (records_.is_lost()) {
    problems.push_back(fmt::format("record {}: its length is damaged (CRC): what follows is lost",
                                   records_.records() + 1));
  } else if (records_.is_cut()) {
    problems.push_back(fmt::format("cut off after record {}", records_.records()));
  }
  records_.damaged().tell(problems, "in all");
  if (no_event_ > 0)
    problems.push_back(fmt::format("{} records are not events with a time", no_event_));
  if (points_.empty()) problems.emplace_back("no scalar in it");
  return problems;
}

ImportedLog TensorboardReader::finish(const std::string& source) {
  ImportedLog result;
  result.problems = problems();
  if (points_.empty()) return result;
  Run& run = result.runs.emplace_back();
  const std::vector<Point> ends = lap_ends(run.warnings);
  ImportedRunId run_id("tensorboard");
  for (const Point& point : ends) {
    run_id.add(point.at_ns);
    run_id.add(point.step);
  }
  run_id.add(tags_.front());
  run.context = imported_context("tensorboard", source, printable(tags_[main_tag()], 60), "");
  run.context.id = run_id.id();
  run.context.started_at = utc_text(static_cast<double>(first_ns_) * 1e-9);
  run.ended_ns = std::max<std::int64_t>(0, ends.back().at_ns - first_ns_);
  run.lap_logs = {lap_log(ends)};
  run.outcome = outcome::BudgetSpent{"an event file does not say whether the training had ended"};
  if (ends.size() < 2) run.outcome = outcome::NoLaps{"fewer than two steps were logged"};
  run.warnings.push_back(
      fmt::format("laps lie between the logged steps of '{}'; their samples are "
                  "steps; init is what came before the first",
                  printable(tags_[main_tag()], 60)));
  if (too_many_ > 0) {
    run.warnings.push_back(fmt::format("{} scalars were left out: a file may have {}, of {} tags",
                                       too_many_, kMostPoints, kMostTags));
  }
  return result;
}

}  // namespace lapcast
