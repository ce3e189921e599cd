#include "suite/papers/papers_own_runs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "forecast/forecast.h"
#include "history/assessment.h"
#include "lap/lap_log.h"
#include "machine/machine_type.h"
#include "price/quote.h"
#include "rank/comparison.h"
#include "rank/repeat_summary.h"
#include "report/run_document.h"
#include "run/run_cost.h"
#include "stats/summary.h"
#include "suite/driver/queens.h"
#include "suite/driver/queens_report.h"
#include "suite/papers/papers_own_courses.h"
#include "suite/papers/papers_own_groups.h"
#include "suite/stopwatch/stopwatch.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSeries = 8;     // of own runs in one figure
constexpr std::size_t kMostPoints = 1000;  // of one of them
constexpr double kPercent = 100;

std::vector<double> values(const RepeatGroup& group, const char* metric) {
  return values_of(group.runs, parse_run_metric(metric)).values;
}

/// Returns a point at the mean of the values; nullopt without values.
std::optional<FigurePoint> mean_point(double x, const std::vector<double>& all, double scale) {
  if (all.empty()) return std::nullopt;
  FigurePoint point{.x = x, .y = scale * mean(all), .label = ""};
  if (all.size() > 1) point.deviation = scale * standard_deviation(all);
  return point;
}

/// Adds a series for each program, machine type and work: means over the batch size.
void add_by_batch(PaperFigure& figure, std::span<const Run> runs, const char* metric,
                  double scale) {
  std::vector<RepeatGroup> groups = groups_for(figure, runs);
  name_without_batch(groups);
  for (const RepeatGroup& group : groups) {
    const auto batch = static_cast<double>(batch_size_of(group.runs.front()));
    const auto point = mean_point(batch, values(group, metric), scale);
    if (batch > 0 && point) own_series(figure, own_name(figure, group)).points.push_back(*point);
  }
  for (FigureSeries& series : figure.series)
    std::ranges::stable_sort(series.points, {}, &FigurePoint::x);
}

void add_cost_by_time(PaperFigure& figure, std::span<const Run> runs) {
  const std::vector<Offer> offers = offers_of(runs);
  for (const RepeatGroup& group : groups_for(figure, runs))
    for (const RepeatGroup& priced : by_price(group)) {
      const std::vector<RepeatGroup> alone{priced};
      const RepeatSummary summary = summarise_repeats(alone, 0, offers);
      const RepeatRow& row = summary.rows.front();
      if (row.times.empty() || row.costs.empty()) continue;
      own_series(figure, "yours: " + group.machine_type)
          .points.push_back(
              {.x = mean(row.times), .y = mean(row.costs), .label = settings_and_work(priced)});
    }
}

/// Returns the estimate of equation 5.1 of Malta 2021 from a run's first two epochs; nullopt for a
/// run with fewer than two whole ones.
std::optional<Seconds> estimate_of(const Run& run) {
  const auto log = laps_of(run);
  std::vector<double> epochs;
  for (const EpochSpan& epoch : log->epochs)
    if (epoch.ended) epochs.push_back(epoch.span.seconds().count());
  if (epochs.size() < 2) return std::nullopt;
  const Seconds init = from_ns(log->epochs.front().span.begin_ns);
  return Seconds{
      epoch_method(init.count(), epochs[0], epochs[1], static_cast<double>(epochs.size()))};
}

std::vector<double> estimates_of(const RepeatGroup& group) {
  std::vector<double> all;
  for (const Run& run : group.runs)
    if (const auto estimate = estimate_of(run)) all.push_back(estimate->count());
  return all;
}

/// Adds the real time and the estimate of each group, as bars side by side.
void add_estimates(PaperFigure& figure, std::span<const Run> runs) {
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    const std::vector<double> estimates = estimates_of(group);
    const std::vector<double> times = values(group, "time");
    if (estimates.empty() || times.size() != estimates.size()) continue;
    const std::string label = own_name(figure, group);
    own_series(figure, "real").points.push_back({.y = mean(times), .label = label});
    own_series(figure, "estimated").points.push_back({.y = mean(estimates), .label = label});
  }
}

/// Adds the costs of the estimated times.
void add_estimated_cost(PaperFigure& figure, std::span<const Run> runs) {
  const std::vector<Offer> offers = offers_of(runs);
  for (const RepeatGroup& group : groups_for(figure, runs))
    for (const RepeatGroup& priced : by_price(group)) {
      const std::vector<double> estimates = estimates_of(priced);
      const Offer* offer = offer_of(priced.runs.front(), offers);
      if (estimates.empty() || offer == nullptr) continue;
      const double time = mean(estimates);
      own_series(figure, "yours: " + group.machine_type)
          .points.push_back({.x = time,
                             .y = cost_of(offer->price, to_ns(Seconds{time})).dollars(),
                             .label = settings_and_work(priced)});
    }
}

/// Adds every run as a point of its group's box, or the groups' means as bars; `what` is appended
/// to the groups' names.
void add_by_machine(PaperFigure& figure, std::span<const Run> runs, const char* metric,
                    double scale, const char* what = "") {
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    const std::vector<double> all = values(group, metric);
    if (all.empty()) continue;
    const std::string label = own_name(figure, group) + what;
    FigureSeries& series = own_series(figure, "yours");
    if (figure.kind != FigureKind::boxes)
      series.points.push_back({.y = scale * mean(all), .label = label});
    else
      for (const double value : all) series.points.push_back({.y = scale * value, .label = label});
  }
}

/// Adds the newest run of each group as a series.
void add_courses(PaperFigure& figure, std::span<const Run> runs, PointsOf points_of) {
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    std::vector<FigurePoint> points = points_of(*laps_of(group.runs.back()));
    points.resize(std::min(points.size(), kMostPoints));
    if (!points.empty()) own_series(figure, own_name(figure, group)).points = std::move(points);
  }
}

/// Returns "yours: big GPU", or "yours: GPU" on this machine.
std::string own_label(const std::string& machine_type, const std::string& what) {
  return "yours: " + (machine_type == kThisMachine ? "" : machine_type + " ") + what;
}

/// Adds times relative to the slowest machine type with the same settings and work; if the data of
/// runs was first sent to their machine, also including that time.
void add_with_transfer(PaperFigure& figure, std::span<const Run> runs) {
  struct Timed {
    const RepeatGroup* group;
    double time = 0, send = 0;
  };
  const std::vector<RepeatGroup> groups = groups_for(figure, runs);
  std::vector<Timed> all;
  for (const RepeatGroup& group : groups) {
    const std::vector<double> times = values(group, "time");
    if (times.empty()) continue;
    std::vector<double> sends;
    for (const Run& run : group.runs)
      if (const double send = preparation_time(run, "send data").count(); send > 0)
        sends.push_back(send);
    all.push_back({&group, mean(times), sends.empty() ? 0 : mean(sends)});
  }
  for (const Timed& one : all) {
    double slowest = 0;
    for (const Timed& other : all)
      if (other.group->settings == one.group->settings &&
          other.group->work.is_like(one.group->work))
        slowest = std::max(slowest, other.time);
    const std::string label = own_name(figure, *one.group);
    FigureSeries& series = own_series(figure, "yours");
    series.points.push_back({.y = one.time / slowest, .label = label});
    if (one.send > 0)
      series.points.push_back(
          {.y = (one.time + one.send) / slowest, .label = label + " with transfer"});
  }
}

/// Adds bars of the averages over all boards of N-Queens with the paper's search, as `suite run
/// nqueens` prints them.
void add_queens(PaperFigure& figure, std::span<const Run> runs, const char* key) {
  std::vector<QueensRuns> boards;
  for (const RepeatGroup& group : groups_for(figure, runs)) {
    const RunContext& context = group.runs.front().context;
    auto board = board_of(context);
    if (!board || context.settings.at("algorithm") != "paper") continue;
    board->machine = group.machine_type + (group.training.empty() ? "" : " " + group.training);
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

/// Holds the mean times of the stages of runs on one device.
struct OwnStages {
  std::string label;
  std::vector<std::pair<std::string, double>> means;
};

OwnStages stages_of(const RepeatGroup& group) {
  static constexpr std::array<const char*, kStopwatchStages.size()> kNames{
      "load data", "pre-process", "compile", "train", "evaluate"};
  const std::string device = device_of(group.runs.front().context);
  OwnStages own{own_label(group.machine_type, stopwatch_device(device.empty() ? "cpu" : device)),
                {}};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    std::vector<double> seconds;
    for (const Run& run : group.runs)
      if (const auto time = time_of(*laps_of(run), kStopwatchStages[i]))
        seconds.push_back(time->time.count());
    if (!seconds.empty()) own.means.emplace_back(kNames[i], mean(seconds));
  }
  return own;
}

/// Adds the stages of a network on each device. Several trainings on one device are separate, with
/// what distinguishes them after the device's name.
void add_stages(PaperFigure& figure, std::span<const Run> runs) {
  const std::vector<RepeatGroup> groups = groups_for(figure, runs);
  std::vector<OwnStages> all;
  for (const RepeatGroup& group : groups) all.push_back(stages_of(group));
  if (all.size() > kMostSeries) figure.left_out += all.size() - kMostSeries;
  for (std::size_t i = 0; i < std::min(all.size(), kMostSeries); ++i) {
    const bool is_alone = std::ranges::count(all, all[i].label, &OwnStages::label) == 1;
    const std::string more = is_alone ? "" : settings_and_work(groups[i]);
    for (const auto& [stage, seconds] : all[i].means)
      own_series(figure, stage)
          .points.push_back(
              {.y = seconds, .label = all[i].label + (more.empty() ? "" : " " + more)});
  }
}

/// Keeps only as many own series as a figure can show.
void leave_few(PaperFigure& figure) {
  std::size_t own = 0;
  figure.left_out += std::erase_if(figure.series, [&](const FigureSeries& series) {
    return series.is_own && ++own > kMostSeries;
  });
}

using AddOwn = std::function<void(PaperFigure& figure, std::span<const Run> runs)>;

AddOwn courses_of(PointsOf points_of) {
  return [points_of](PaperFigure& figure, std::span<const Run> runs) {
    add_courses(figure, runs, points_of);
  };
}
AddOwn means_by_batch(const char* metric, double scale) {
  return [=](PaperFigure& figure, std::span<const Run> runs) {
    add_by_batch(figure, runs, metric, scale);
  };
}
AddOwn values_by_machine(const char* metric, double scale) {
  return [=](PaperFigure& figure, std::span<const Run> runs) {
    add_by_machine(figure, runs, metric, scale);
  };
}
/// Adds the times of the runs on a GPU, or of those on CPUs.
AddOwn times_on(bool gpu) {
  return [gpu](PaperFigure& figure, std::span<const Run> runs) {
    std::vector<Run> on_device;
    for (const Run& run : runs)
      if (device_of(run.context).starts_with("cuda") == gpu) on_device.push_back(run);
    add_by_machine(figure, on_device, "time", 1);
  };
}
AddOwn queens(const char* key) {
  return [key](PaperFigure& figure, std::span<const Run> runs) { add_queens(figure, runs, key); };
}
void add_train_and_test(PaperFigure& figure, std::span<const Run> runs) {
  add_by_machine(figure, runs, "time", 1);
  add_by_machine(figure, runs, "test-time", 1, ", test");
}

const std::map<std::string, AddOwn>& own_figures() {
  static const std::map<std::string, AddOwn> figures{
      {"epoch-times", courses_of(epoch_points)},
      {"time-by-epochs", courses_of(elapsed_points)},
      {"iteration-times", courses_of(iteration_points)},
      {"validation-times", courses_of(validation_points)},
      {"accuracy-by-epoch", courses_of(accuracy_points)},
      {"time-by-batch", means_by_batch("time", 1)},
      {"accuracy-by-batch", means_by_batch("accuracy", kPercent)},
      {"time-by-machine", values_by_machine("time", 1)},
      {"accuracy-by-machine", values_by_machine("accuracy", kPercent)},
      {"train-and-test", add_train_and_test},
      {"cpu-times", times_on(false)},
      {"gpu-times", times_on(true)},
      {"cost-by-time", add_cost_by_time},
      {"estimates", add_estimates},
      {"estimated-cost", add_estimated_cost},
      {"with-transfer", add_with_transfer},
      {"queens-rate", queens("million_nodes_per_second")},
      {"queens-speed-up", queens("speed_up")},
      {"stages", add_stages}};
  return figures;
}

}  // namespace

void add_own_series(PaperFigure& figure, std::span<const Run> runs) {
  const auto add = own_figures().find(figure.own);
  if (add == own_figures().end()) return;
  std::vector<Run> own;
  for (const Run& run : runs)
    if (is_of_workloads(run, figure.workloads)) own.push_back(run);
  if (own.empty()) return;
  add->second(figure, own);
  leave_few(figure);
}

}  // namespace lapcast
