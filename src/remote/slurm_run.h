#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "remote/record_link.h"
#include "remote/remote_run.h"
#include "remote/slurm_queue.h"
#include "remote/slurm_tracker.h"

namespace lapcast {

/// Handles a run as a job of a Slurm cluster whose nodes share lapcast's folder with the host that
/// has Slurm's commands. Each life of the job records into a folder of its own,
/// runs/ID.JOB.RESTARTS; SlurmTracker decides which one counts. While a record grows Slurm is not
/// asked.
class SlurmRun : public RemoteRun {
 public:
  SlurmRun(const ProbeRequest& request, const Interrupt& interrupt);
  Result<bool> exists() override { return link_.exists(); }
  Result<void> begin(const RemoteProgress& tell) override;
  RemoteNews follow(std::chrono::milliseconds at_most) override;
  Result<void> order(const std::string& what) override;
  Result<void> remove() override;
  Result<FetchedFiles> fetch(const std::filesystem::path& local) override;
  std::string end_command() const override;

 private:
  std::string run_folder() const { return "runs/" + request_.context.id; }
  const SlurmPlace& place() const { return std::get<SlurmPlace>(request_.place_setup.place); }
  Result<void> submit(const RemoteProgress& tell);
  Result<void> remove_folders();
  void ask_queue(RemoteNews& news);
  void take_sight(const std::optional<SlurmJob>& job, RemoteNews& news);
  void take_outage(const HostFailure& failure, RemoteNews& news);
  void take_waiting(const SlurmJob& job, RemoteNews& news);
  SlurmEnding ending_of(const std::optional<SlurmJob>& job) const;
  void find_life_on_this_machine();
  void follow_life();
  void take_record(std::chrono::milliseconds at_most, RemoteNews& news);
  void take_step(RemoteNews& news);
  void submit_again(const SlurmEnding& why, RemoteNews& news);
  void finish(Run run, RemoteNews& news);
  std::string printed_by_job(const SlurmEnding& ending) const;
  void note(std::string text, RemoteNews& news);

  const ProbeRequest request_;
  const Interrupt& interrupt_;
  const std::unique_ptr<Host> host_;
  SlurmQueue queue_;
  RecordLink link_;
  SlurmTracker tracker_;
  SlurmPoll look_;
  SlurmPace pace_;
  std::string folder_;                          // of the run on the cluster, absolute
  std::string tool_;                            // lapcast on the cluster, absolute
  std::optional<MonotonicNs> outage_since_ns_;  // none = Slurm answers
  MonotonicNs next_ahead_ns_ = 0;
  std::optional<std::int64_t> ahead_;
  bool finished_ = false;
  std::string last_note_;
};

}  // namespace lapcast
