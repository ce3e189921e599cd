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
  std::string state;   // "TIMEOUT", "CANCELLED" ...; empty = the job is no longer listed
  std::string reason;  // "TimeLimit", "NonZeroExitCode" ...; empty = none
  std::string who;     // who cancelled it, "user 1000"; empty = not known
  std::int64_t time_limit_ns = 0;
};

/// Returns whether Slurm may have ended that run. Slurm's signals also reach the program, which may
/// then seem to end by itself. Slurm is ruled out only for a program that lapcast stopped, and not
/// because of a signal.
bool may_be_ended_by_slurm(const Run& run);

/// Returns whether another job should repeat the run because the run itself was not at fault: the
/// job was preempted for good, or its node failed.
bool should_resubmit(const SlurmEnding& ending);

/// Returns "its Slurm job 17 was cancelled by user 1000", "... ran into its time limit of 60 s".
std::string describe(const SlurmEnding& ending);

/// Returns the run with the outcome that the end of its job implies. When Slurm cut the run short,
/// a run with laps becomes one whose budget was spent, and a run without laps one that ended before
/// its first lap. A program that failed in a job that ran out of memory lacked main memory; its
/// outcome then says so, with the batch. Otherwise the run keeps its outcome, and such a job adds a
/// warning.
Run judged_by_slurm(Run run, const SlurmEnding& ending);

/// Returns a text for the user about a waiting job: "waiting in the queue: Priority, 3 ahead".
/// `ahead` is the number of waiting jobs of its partition with a higher priority; none = not known.
/// `lost_nodes` is SlurmTracker::lost_nodes().
std::string waiting_note(const SlurmJob& job, std::optional<std::int64_t> ahead,
                         int lost_nodes = 0);

/// Returns why Slurm will never start the job as it is: a limit of its partition, a constraint that
/// no node meets, an account without permission. None = it may start.
std::optional<std::string> why_never(const SlurmJob& job);

/// Decides what to do for a run in a Slurm queue, from what the queue and the records of its job's
/// lives say. Knows no process and no clock: times are those of the caller's monotonic clock.
///
/// A job may be requeued, and then lives again; each life has a record of its own. The last record
/// counts, or the first whose result stands: that result is final, whatever the queue says.
class SlurmTracker {
 public:
  // These types say what to do next.
  struct Wait {};
  /// Asks to delete the file `holder` of the followed life, whose machine no longer records: the
  /// agent then makes a result of its laps.
  struct RemoveHolder {};
  /// Asks to submit another job and to call submitted() for it.
  struct SubmitAgain {
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

  /// Says what the user hears of a job that waits in the queue.
  enum class WaitingJob {
    irrelevant,  // a life is followed, or a result stands
    waits,
    hopeless,  // Slurm said several times that it will never start, or kMostLostNodes were lost
  };
  /// Limits how many nodes may be powered up for a job in vain: each of them is paid for.
  static constexpr int kMostLostNodes = 3;

  /// With `resumes`, a run that ran into its time limit after a lap goes on in another job.
  explicit SlurmTracker(bool resumes = false) : resumes_(resumes) {}

  std::int64_t job() const { return job_; }
  /// Returns the life whose record is followed.
  std::optional<SlurmLife> life() const;
  /// Returns whether more messages may come from the record of life().
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
  /// Says that the job's node registered: the job runs.
  void take_running() { powering_since_s_.reset(); }
  /// Returns how many nodes were powered up for the job, one after the other, and never registered,
  /// so that Slurm put the job back into the queue.
  int lost_nodes() const { return lost_nodes_; }
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
  void count_lost_node(const SlurmJob& job);
  bool is_trusted(const Run& run) const;

  bool resumes_;
  std::int64_t job_ = 0;  // 0 = none was submitted
  int jobs_ = 0;          // that were submitted
  std::variant<NoLife, Following, Held, NoResult> record_;
  std::optional<SlurmLife> left_;  // the last life that does not count
  bool stands_ = false;            // what the followed life recorded is final
  std::optional<End> end_;         // of the present job
  int hopeless_looks_ = 0;
  // When the job was submitted or requeued for which a node is powered up; none = for no one.
  std::optional<std::int64_t> powering_since_s_;
  int lost_nodes_ = 0;
  bool stopped_ = false;
};

}  // namespace lapcast
