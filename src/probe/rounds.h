#pragma once

#include <sys/types.h>

#include <optional>

#include "core/seconds.h"
#include "probe/lap_folder.h"
#include "probe/processes.h"
#include "run/run.h"

namespace lapcast {

/// Suspends a program at the end of each round, once its devices have nothing to do where it
/// answers that, and lets it go on.
class Rounds {
 public:
  /// Without a first round the program is suspended only after begin(). `laps` has to outlive this.
  Rounds(std::optional<Round> first, LapFolder& laps) : round_(first), laps_(laps) {}

  /// Returns whether the round is over. The program has run so long without pauses; `is_enough`
  /// says that the stopping rule is satisfied.
  bool is_over(Seconds ran, bool is_enough) const;
  /// Asks the program to wait for its devices. Returns false, and asks nothing, where it does not
  /// answer that: it can be suspended at once.
  bool ask_for_pause(MonotonicNs now);
  /// Returns whether the answer is waited for.
  bool awaits_answer() const { return answer_limit_.has_value(); }
  /// Returns true, once, when the program can be suspended: it has answered, or too much time has
  /// passed. Must be called while awaits_answer() only.
  bool take_answer(MonotonicNs now);
  /// Tells the program that it need not wait for its devices, if it was asked to.
  void give_up_pause();
  /// Suspends the program, and reads the laps until then.
  void suspend(pid_t program);
  /// Begins another round, for a suspended program with go_on().
  void begin(const Round& round);
  /// Lets a suspended program go on.
  void go_on(pid_t program);
  /// Returns whether it is suspended, and its pauses so far.
  const Suspension& suspension() const { return suspension_; }
  Suspension& suspension() { return suspension_; }

 private:
  std::optional<Round> round_;
  LapFolder& laps_;
  Suspension suspension_;
  std::optional<MonotonicNs> answer_limit_;  // until when an answer is waited for
  std::optional<MonotonicNs> idle_since_;    // of the devices, by the answer
};

}  // namespace lapcast
