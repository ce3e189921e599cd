#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

enum class SpotActivity { boot, work, checkpoint, lost, restart, waiting };
/// Returns the name that people and programs see: "boot", "lost work".
std::string_view to_string(SpotActivity what);

/// Describes a period in which a simulated job did one thing.
struct SpotStep {
  SpotActivity what{};
  Seconds begin{0};  // on the clock of the trace
  Seconds end{0};
  std::uint64_t checkpoints = 0;  // made within it, if they have no steps of their own
  friend bool operator==(const SpotStep&, const SpotStep&) = default;
};

/// Says what a job did on one machine, in seconds; the members are in chronological order.
struct SpotSession {
  bool is_first = false;
  double starting = 0;
  double intervals = 0;    // that were worked and saved, one after the other
  double last_work = 0;    // after them, and kept
  bool was_saved = false;  // by a checkpoint within the notice, after the last work
  double lost = 0;
};

/// Records what a simulated job does. Each checkpoint is a step of its own unless a machine saw
/// more than 100 of them: then its work is one step with their number. Keeps at most `most` steps.
class SpotSteps {
 public:
  explicit SpotSteps(Seconds begin = Seconds{0}, std::size_t most = 20'000)
      : now_(begin), most_(most) {}
  void add(const SpotSession& session, double interval, double checkpoint);
  void add(SpotActivity what, double seconds, std::uint64_t checkpoints = 0);
  const std::vector<SpotStep>& all() const { return steps_; }
  bool is_cut() const { return is_cut_; }

 private:
  std::vector<SpotStep> steps_;
  Seconds now_;
  std::size_t most_;
  bool is_cut_ = false;
};

}  // namespace lapcast
