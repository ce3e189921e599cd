#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/seconds.h"
#include "remote/slurm_submission.h"
#include "remote/slurm_text.h"
#include "run/run.h"

namespace lapcast {

/// Says how a job ended, as far as Slurm knows.
struct SlurmEnding {
  std::int64_t job = 0;
  std::string state;   // "TIMEOUT", "CANCELLED" ...; empty = the job is in no list any more
  std::string reason;  // "TimeLimit", "NonZeroExitCode" ...; empty = none
  std::string who;     // who cancelled it, "user 1000"; empty = not known
  std::int64_t time_limit_ns = 0;
};

/// Returns whether Slurm may have ended that run. Its signals reach the program too, which may then
/// end as if by itself; only a program that lapcast stopped, and not because of a signal, cannot
/// have been.
bool needs_slurms_word(const Run& run);

/// Returns whether the run did nothing wrong and another job can do it again: the job was preempted
/// for good, or its node failed.
bool deserves_another_job(const SlurmEnding& ending);

/// Returns "its Slurm job 17 was cancelled by user 1000", "... ran into its time limit of 60 s".
std::string describe(const SlurmEnding& ending);

/// Returns the run with the outcome that its job's end means: laps so far are kept as a budget that
/// was spent; a program without laps never had the time. When its job was not cut short it keeps
/// its outcome, and what Slurm adds (out of memory) becomes a warning.
Run judged_by_slurm(Run run, const SlurmEnding& ending);

/// Returns what to tell of a job that waits: "waiting in the queue: Priority, 3 ahead". `ahead`:
/// how many jobs of its partition with a higher priority wait; none = not known.
std::string waiting_note(const SlurmJob& job, std::optional<std::int64_t> ahead);

/// Returns why Slurm will never start the job as it is: a limit of its partition, a constraint that
/// no node meets, an account that may not. None = it may start.
std::optional<std::string> why_never(const SlurmJob& job);

/// Decides what to do for a run in a Slurm queue, from what the queue and the records of its job's
/// lives say. Knows no process and no clock: times are those of the caller's monotonic clock.
///
/// A job may be requeued, and then lives again; each life has a record of its own. The last record
/// counts, or the first whose result stands: what it says is final, whatever the queue says.
class SlurmTracker {
 public:
  // These types say what to do next.
  struct Wait {};
  struct RemoveHolder {};  // of the followed life: its machine records no more, its laps are left
  struct SubmitAgain {     // another job; submitted() has to be told
    SlurmEnding why;
  };
  struct Finish {
    Run run;
  };
  struct FinishWithoutRun {
    SlurmEnding why;
    bool stopped = false;  // by the user's order
  };
  using Step = std::variant<Wait, RemoveHolder, SubmitAgain, Finish, FinishWithoutRun>;

  /// Says how the user hears of a job that waits in the queue.
  enum class WaitingJob {
    irrelevant,  // a life is followed, or a result stands
    waits,
    hopeless,  // Slurm said several times that it will never start
  };

  std::int64_t job() const { return job_; }
  /// Returns the life whose record is followed.
  std::optional<SlurmLife> life() const;
  /// Returns true when the record of life() may still say something.
  bool listens() const { return std::holds_alternative<Following>(record_); }
  bool has_ended() const { return end_.has_value(); }
  bool was_stopped() const { return stopped_; }
  /// Returns the first life of the present job that may still begin.
  SlurmLife next_life() const;

  void submitted(std::int64_t job);
  void stop_ordered() { stopped_ = true; }
  // Each returns true when another life than before has to be followed from now on.
  bool take_lives(const SlurmLives& lives);
  bool take_new_life(const SlurmLife& life);
  void take_result(Run run, MonotonicNs now);
  /// Says that the followed record will have no result.
  void take_no_result();
  WaitingJob take_waiting(const SlurmJob& job);
  void take_end(SlurmEnding ending, MonotonicNs now) { end_ = End{std::move(ending), now}; }
  /// Returns what to do at this time. RemoveHolder is returned once for a life.
  Step next(MonotonicNs now);

 private:
  struct NoLife {};
  struct Following {
    SlurmLife life;
    bool holder_removed = false;
  };
  struct Held {  // a result that Slurm may know more about
    SlurmLife life;
    Run run;
    MonotonicNs since_ns = 0;
  };
  struct NoResult {
    SlurmLife life;
  };
  struct End {
    SlurmEnding ending;
    MonotonicNs since_ns = 0;
  };

  void leave_life();
  bool is_trusted(const Run& run) const;

  std::int64_t job_ = 0;  // 0 = none was submitted
  int jobs_ = 0;          // that were submitted
  std::variant<NoLife, Following, Held, NoResult> record_;
  std::optional<SlurmLife> left_;  // the last life that does not count
  bool stands_ = false;            // what the followed life recorded is final
  std::optional<End> end_;         // of the present job
  int hopeless_looks_ = 0;
  bool stopped_ = false;
};

}  // namespace lapcast
