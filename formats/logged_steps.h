#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Makes laps of a log that has points: moments at which a program logged how many steps it had
/// done, and perhaps moments at which an evaluation had ended. A lap is one step: those between two
/// points share the time between them equally. An evaluation is what an interval with one takes
/// longer than as many steps do elsewhere. The steps before the first point are laps, too, where
/// the counter began at 0, which is so if its first number is not above its growth until the next
/// point. Times are nanoseconds since the start of the run.
class LoggedSteps {
 public:
  /// Above this many steps a lap is as many of them as keep the laps below it.
  static constexpr std::int64_t kMostLaps = 200'000;

  /// Adds a point. Returns false and leaves it out where the steps or the time do not grow.
  bool point(std::int64_t at_ns, std::int64_t step);
  /// Adds the end of an evaluation.
  void evaluation(std::int64_t at_ns) { evaluations_.push_back(at_ns); }
  void metric(std::int64_t at_ns, std::string name, double value);

  std::size_t points() const { return points_.size(); }
  std::int64_t end_ns() const { return points_.empty() ? 0 : points_.back().at_ns; }
  /// Returns how many steps make a lap.
  std::int64_t steps_per_lap() const;
  /// Returns what the laps are, for a warning of the run: "laps are steps: those between two logged
  /// points share their time". `points_of` names where the points are from.
  std::string what_laps_are(std::string_view points_of) const;
  /// Returns the lap log; `wall_seconds` and `format` are as in LapLogText.
  std::string lap_log(double wall_seconds, std::string_view format) const;

 private:
  struct Point {
    std::int64_t at_ns = 0;
    std::int64_t step = 0;
  };
  struct Metric {
    std::int64_t at_ns = 0;
    std::string name;
    double value = 0;
  };
  /// Describes the steps between two points.
  struct Stretch {
    Point from, to;
    std::int64_t evaluated_ns = -1;  // end of its last evaluation; -1 = it has none
    std::int64_t steps() const { return to.step - from.step; }
    std::int64_t ns() const { return to.at_ns - from.at_ns; }
  };

  /// Is something that the log says, in the order in which what is of one time is written.
  struct Moment {
    std::int64_t at_ns = 0;
    enum Kind { lap, validation, metric } kind = lap;
    std::int64_t end_ns = 0;  // of a validation
    std::size_t index = 0;    // of a metric
  };

  std::vector<Stretch> stretches() const;
  void add_moments(const Stretch& stretch, double usual_ns, std::vector<Moment>& moments) const;
  static double usual_step_ns(const std::vector<Stretch>& stretches);

  std::vector<Point> points_;
  std::vector<std::int64_t> evaluations_;
  std::vector<Metric> metrics_;
};

/// Returns whether a metric of this name is of an evaluation and not of the training: a part of it
/// ("eval/loss", "val_loss", "test-accuracy") is a word for one.
bool is_of_evaluation(std::string_view metric);

}  // namespace lapcast
