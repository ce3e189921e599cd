#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "remote/host_run.h"
#include "remote/slurm_queue.h"
#include "remote/slurm_verdict.h"

namespace lapcast {

/// A run as a job of a Slurm cluster whose nodes share lapcast's folder with the host that has
/// Slurm's commands. Each life of the job (it may be requeued) records into a folder of its own,
/// runs/ID.JOB.RESTARTS; the last one counts, or the first whose result stands: what such a record
/// says is final, whatever the queue says of the job. While a record grows Slurm is not asked.
class SlurmRun : public HostRun {
 public:
  SlurmRun(const ProbeRequest& request, const Interrupt& interrupt);
  Result<void> begin(const RemoteProgress& tell) override;
  News follow(std::chrono::milliseconds at_most) override;
  Result<void> order(const std::string& what) override;
  Result<void> remove() override;
  Result<FilesNotCopied> fetch(const std::filesystem::path& local) override;

 private:
  /// When Slurm is asked next: soon after something happened, then more and more seldom.
  struct Pace {
    MonotonicNs next_ns = 0;
    MonotonicNs wait_ns = 0;
    void at_once(MonotonicNs now);
    void soon(MonotonicNs now);
    void later(MonotonicNs now);
    void after_silence(MonotonicNs now);
  };

  const SlurmPlace& place() const;
  Result<void> submit(const RemoteProgress& tell);
  Result<void> remove_folder();
  void look(News& news);
  void take_lives_of(std::string_view printed);
  void take_sight(const std::optional<SlurmJob>& seen, News& news);
  void take_outage(const HostFailure& failure, News& news);
  void take_waiting(const SlurmJob& job, News& news);
  void take_end(SlurmEnding ending);
  void enter(const SlurmLife& life);
  void follow_life_of(const SlurmLife& life);
  void leave_life();
  void new_life_here();
  void follow_life(std::chrono::milliseconds at_most, News& news);
  void conclude(News& news);
  void try_another_job(News& news);
  void finish(Run run, News& news);
  void note(std::string text, News& news);
  std::string last_words() const;

  SlurmQueue queue_;
  std::string folder_;  // of the run, absolute, there
  std::string tool_;
  std::int64_t job_ = 0;
  std::optional<SlurmLife> life_;          // that is followed
  std::optional<SlurmLife> left_;          // the last one that does not count
  bool stands_ = false;                    // what the life that is followed recorded is final
  std::optional<RunningCommand> looking_;  // at the queue
  MonotonicNs looking_since_ns_ = 0;
  std::string seen_;                       // what it printed so far
  Pace pace_;
  MonotonicNs outage_since_ns_ = 0;        // 0 = Slurm answers
  MonotonicNs next_ahead_ns_ = 0;
  std::int64_t ahead_ = -1;
  int hopeless_looks_ = 0;
  std::optional<Run> held_;                // a result that Slurm may know more about
  MonotonicNs held_since_ns_ = 0;
  bool no_result_ = false;                 // the life that is followed has none
  std::optional<SlurmEnding> ending_;
  MonotonicNs ended_since_ns_ = 0;
  bool holder_removed_ = false;
  int jobs_tried_ = 1;
  bool stop_ordered_ = false;
  bool finished_ = false;
  std::string last_note_;
};

}  // namespace lapcast
