#include "app/papers_own_runs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/run_set.h"
#include "choose/assessment.h"
#include "choose/comparison.h"
#include "choose/repeat_summary.h"
#include "forecast/learning_curve.h"
#include "machine/machine_type.h"
#include "report/queens_report.h"
#include "report/run_document.h"
#include "stats/summary.h"
#include "suite/queens.h"
#include "suite/stopwatch.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSeries = 8;     // of own runs in one figure
constexpr std::size_t kMostPoints = 1000;  // of one of them
constexpr double kPercent = 100;

bool is_of(const Run& run, const std::vector<std::string>& workloads) {
  const RunContext& context = run.context;
  return !was_imported(context) &&
         std::ranges::find(workloads, program_name(context)) != workloads.end();
}

/// Returns the group's name in a legend. The program stands before it where a figure is of several.
std::string own_name(const PaperFigure& figure, const RepeatGroup& group) {
  const std::string program =
      figure.workloads.size() < 2 ? "" : program_name(group.runs.front().context) + " ";
  return "yours: " + program + name_of(group);
}

/// Returns the runs to their end of the figure's workloads, in groups of one program, machine type
/// and settings.
std::vector<RepeatGroup> groups_for(const PaperFigure& figure, std::span<const Run> runs) {
  std::vector<RepeatGroup> groups;
  for (const std::string& workload : figure.workloads) {
    std::vector<Run> own;
    for (const Run& run : runs)
      if (is_of(run, {workload}) && !run.context.warm_up) own.push_back(run);
    for (RepeatGroup& group : repeat_groups(own)) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<double> values(const RepeatGroup& group, const char* metric) {
  return values_of(group.runs, parse_run_metric(metric)).values;
}

/// Returns a point of the mean of the values; nothing without one.
std::optional<FigurePoint> mean_point(double x, const std::vector<double>& all, double scale) {
  if (all.empty()) return std::nullopt;
  FigurePoint point{.x = x, .y = scale * mean(all), .label = ""};
  if (all.size() > 1) point.deviation = scale * standard_deviation(all);
  return point;
}

FigureSeries& own_series(PaperFigure& figure, const std::string& name) {
  auto found = std::ranges::find(figure.series, name, &FigureSeries::name);
  if (found == figure.series.end())
    found = figure.series.insert(found, {.name = name, .points = {}, .is_own = true});
  return *found;
}

/// Adds a series for each program and machine type: means against the batch size.
void add_by_batch(PaperFigure& figure, std::span<const Run> runs, const char* metric,
                  double scale) {
  for (RepeatGroup group : groups_for(figure, runs)) {
    const auto batch = static_cast<double>(batch_size_of(group.runs.front()));
    const auto point = mean_point(batch, values(group, metric), scale);
    group.settings.clear();
    if (batch > 0 && point) own_series(figure, own_name(figure, group)).points.push_back(*point);
  }
  for (FigureSeries& series : figure.series)
    std::ranges::stable_sort(series.points, {}, &FigurePoint::x);
}

void add_cost_by_time(PaperFigure& figure, std::span<const Run> runs) {
  const std::vector<Offer> offers = offers_of(runs);
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    const std::vector<RepeatGroup> alone{group};
    const RepeatSummary summary = summarise_repeats(alone, 0, offers);
    const RepeatRow& row = summary.rows.front();
    if (row.times.empty() || row.costs.empty()) continue;
    own_series(figure, "yours: " + group.machine_type)
        .points.push_back({.x = mean(row.times), .y = mean(row.costs), .label = group.settings});
  }
}

/// Adds every run as a point of its group's box, or the groups' means as bars.
void add_by_machine(PaperFigure& figure, std::span<const Run> runs, const char* metric,
                    double scale) {
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    const std::vector<double> all = values(group, metric);
    if (all.empty()) continue;
    const std::string label = own_name(figure, group);
    FigureSeries& series = own_series(figure, "yours");
    if (figure.kind != FigureKind::boxes)
      series.points.push_back({.y = scale * mean(all), .label = label});
    else
      for (const double value : all) series.points.push_back({.y = scale * value, .label = label});
  }
}

using PointsOf = std::vector<FigurePoint> (*)(const LapLog& log);

std::vector<FigurePoint> epoch_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended)
      points.push_back({.x = 1.0 * epoch.epoch, .y = epoch.span.seconds().count(), .label = ""});
  return points;
}

/// Returns when each epoch had ended, since the program said hello.
std::vector<FigurePoint> elapsed_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended)
      points.push_back(
          {.x = 1.0 * epoch.epoch, .y = from_ns(epoch.span.end_ns).count(), .label = ""});
  return points;
}

std::vector<FigurePoint> iteration_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const Lap& lap : log.laps)
    points.push_back(
        {.x = 1.0 + static_cast<double>(lap.index), .y = lap.seconds().count(), .label = ""});
  return points;
}

std::vector<FigurePoint> validation_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const ValidationSpan& validation : log.validations)
    points.push_back({.x = 1.0 + static_cast<double>(points.size()),
                      .y = validation.span.seconds().count(),
                      .label = ""});
  return points;
}

std::vector<FigurePoint> accuracy_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  if (const auto curve = learning_curve(log, "val_accuracy"))
    for (const CurvePoint& point : curve->points)
      points.push_back({.x = point.epochs, .y = kPercent * point.value, .label = ""});
  return points;
}

/// Adds the newest run of each group as a series.
void add_courses(PaperFigure& figure, std::span<const Run> runs, PointsOf points_of) {
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    std::vector<FigurePoint> points = points_of(laps_of(group.runs.back()));
    points.resize(std::min(points.size(), kMostPoints));
    if (!points.empty()) own_series(figure, own_name(figure, group)).points = std::move(points);
  }
}

/// Returns "yours: big GPU", and "yours: GPU" on this machine.
std::string own_label(const std::string& machine_type, const std::string& what) {
  return "yours: " + (machine_type == kThisMachine ? "" : machine_type + " ") + what;
}

/// Adds bars of the averages over all boards of N-Queens with the paper's search, as `suite run
/// nqueens` prints them.
void add_queens(PaperFigure& figure, std::span<const Run> runs, const char* key) {
  std::vector<QueensRuns> boards;
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    const RunContext& context = group.runs.front().context;
    auto board = board_of(context);
    if (!board || context.settings.at("algorithm") != "paper") continue;
    board->machine = group.machine_type;
    add_results(*board, group.runs);
    boards.push_back(*std::move(board));
  }
  const Json averages = json_of(queens_tables(boards), "suite run")["board_averages"];
  for (const Json& row : averages)
    if (row[key].is_number())
      own_series(figure, "yours")
          .points.push_back({.y = row[key].get<double>(),
                             .label = own_label(row["machine_type"].get<std::string>(),
                                                row["mode"].get<std::string>())});
}

/// Holds the mean times of the stages that runs on one device have.
struct OwnStages {
  std::string label;
  std::vector<std::pair<std::string, double>> means;
};

OwnStages stages_of(const RepeatGroup& group) {
  static constexpr std::array<const char*, kStopwatchStages.size()> kNames{
      "load data", "pre-process", "compile", "train", "evaluate"};
  const auto& settings = group.runs.front().context.settings;
  const auto device = settings.find("device");
  OwnStages own{own_label(group.machine_type,
                          stopwatch_device(device == settings.end() ? "cpu" : device->second)),
                {}};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    std::vector<double> seconds;
    for (const Run& run : group.runs)
      if (const auto time = time_of(laps_of(run), kStopwatchStages[i]))
        seconds.push_back(time->time.count());
    if (!seconds.empty()) own.means.emplace_back(kNames[i], mean(seconds));
  }
  return own;
}

/// Adds the stages of a network on each device. Of groups on the same device the one with most
/// stages counts, and of those the newest: runs of `suite run` have no stage evaluate.
void add_stages(PaperFigure& figure, std::span<const Run> runs) {
  std::vector<OwnStages> all;
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    OwnStages own = stages_of(group);
    const auto same = std::ranges::find(all, own.label, &OwnStages::label);
    if (same == all.end() && all.size() < kMostSeries)
      all.push_back(std::move(own));
    else if (same != all.end() && own.means.size() >= same->means.size())
      *same = std::move(own);
  }
  for (const OwnStages& own : all)
    for (const auto& [stage, seconds] : own.means)
      own_series(figure, stage).points.push_back({.y = seconds, .label = own.label});
}

/// Leaves as many own series as a figure can show.
void leave_few(PaperFigure& figure) {
  std::size_t own = 0;
  std::erase_if(figure.series,
                [&](const FigureSeries& series) { return series.is_own && ++own > kMostSeries; });
}

}  // namespace

void add_own_series(PaperFigure& figure, std::span<const Run> runs) {
  static const std::map<std::string, PointsOf> kCourses{{"epoch-times", epoch_points},
                                                        {"time-by-epochs", elapsed_points},
                                                        {"iteration-times", iteration_points},
                                                        {"validation-times", validation_points},
                                                        {"accuracy-by-epoch", accuracy_points}};
  if (figure.own.empty()) return;
  std::vector<Run> own;
  for (const Run& run : runs)
    if (is_of(run, figure.workloads)) own.push_back(run);
  if (own.empty()) return;
  if (const auto course = kCourses.find(figure.own); course != kCourses.end())
    add_courses(figure, own, course->second);
  else if (figure.own == "time-by-batch")
    add_by_batch(figure, own, "time", 1);
  else if (figure.own == "accuracy-by-batch")
    add_by_batch(figure, own, "accuracy", kPercent);
  else if (figure.own == "cost-by-time")
    add_cost_by_time(figure, own);
  else if (figure.own == "time-by-machine")
    add_by_machine(figure, own, "time", 1);
  else if (figure.own == "accuracy-by-machine")
    add_by_machine(figure, own, "accuracy", kPercent);
  else if (figure.own == "queens-rate")
    add_queens(figure, own, "million_nodes_per_second");
  else if (figure.own == "queens-speed-up")
    add_queens(figure, own, "speed_up");
  else if (figure.own == "stages")
    add_stages(figure, own);
  leave_few(figure);
}

}  // namespace lapcast
