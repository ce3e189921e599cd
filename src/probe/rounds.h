#pragma once

#include <sys/types.h>

#include <optional>

#include "core/seconds.h"
#include "probe/lap_folder.h"
#include "probe/processes.h"
#include "run/run.h"

namespace lapcast {

/// Suspends a program at the end of each round and resumes it. A program that answers requests for
/// a pause is suspended only when its devices are idle.
class Rounds {
 public:
  /// Without a first round the program is suspended only after begin(). `laps` has to outlive this.
  Rounds(std::optional<Round> first, LapFolder& laps) : round_(first), laps_(laps) {}

  /// Returns whether the round is over. `ran` is how long the program has run without pauses;
  /// `is_enough` says that the stopping rule is satisfied.
  bool is_over(Seconds ran, bool is_enough) const;
  /// Asks the program to wait for its devices. Returns false without asking if it does not answer
  /// that: it can be suspended at once.
  bool ask_for_pause(MonotonicNs now);
  bool awaits_answer() const { return answer_limit_.has_value(); }
  /// Returns true, once, when the program can be suspended: it has answered, or too much time has
  /// passed. Must be called only while awaits_answer().
  bool take_answer(MonotonicNs now);
  /// Tells the program that it need not wait for its devices, if it was asked to.
  void give_up_pause();
  /// Suspends the program and reads its laps until then.
  void suspend(pid_t program);
  /// Begins another round; a suspended program needs go_on(), too.
  void begin(const Round& round);
  /// Resumes a suspended program.
  void go_on(pid_t program);
  /// Returns whether it is suspended, and its pauses so far.
  const Suspension& suspension() const { return suspension_; }
  Suspension& suspension() { return suspension_; }

 private:
  std::optional<Round> round_;
  LapFolder& laps_;
  Suspension suspension_;
  std::optional<MonotonicNs> answer_limit_;  // of the wait for an answer
  std::optional<MonotonicNs> idle_since_;    // when the devices became idle, by the answer
};

}  // namespace lapcast
