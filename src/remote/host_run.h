#pragma once

#include <memory>
#include <optional>

#include "probe/clock.h"
#include "remote/delivery.h"
#include "remote/probe_lines.h"
#include "remote/remote_run.h"

namespace lapcast {

/// A run on a host itself: one reached by ssh, or this machine, detached from the process that
/// began it. Begun and followed by one command over one connection.
class HostRun : public RemoteRun {
 public:
  HostRun(const ProbeRequest& request, const Interrupt& interrupt);
  Result<void> begin(const RemoteProgress& tell) override;
  News follow(std::chrono::milliseconds at_most) override;
  Result<void> order(const std::string& what) override;
  Result<void> remove() override;
  Result<FilesNotCopied> fetch(const std::filesystem::path& local) override;

 protected:
  /// Begun by the far side's option --`begin_option`: "begin", or "prepare" for a run that something
  /// else starts.
  HostRun(const ProbeRequest& request, const Interrupt& interrupt, std::string begin_option);
  /// What the far side says behind its first answer, to its end.
  Result<std::string> rest_of_answer();
  /// From now on another folder below FOLDER/runs is the run's, followed from its beginning.
  void follow_folder(const std::string& name);
  Result<CommandOutput> run_in_folder(const std::string& script,
                                      const std::vector<std::string>& arguments);
  const ProbeRequest& request() const { return request_; }
  const Interrupt& interrupt() const { return interrupt_; }
  const Host& host() const { return *host_; }

 private:
  HostResult<std::string> begin_there(const RemoteRequest& request);
  HostResult<std::string> first_answer();
  HostResult<void> try_to_begin(Delivery& delivery);
  HostResult<void> bring(const std::string& lacking, Delivery& delivery);
  std::string run_folder() const { return "runs/" + run_name_; }
  void take_lines(News& news);
  void link_broke(const HostFailure& failure, News& news);
  void reconnect(News& news);

  ProbeRequest request_;
  std::string begin_option_;
  std::string run_name_;
  const Interrupt& interrupt_;
  std::unique_ptr<Host> host_;
  std::optional<Result<ProgramFiles>> files_;  // or why they cannot be sent; none = nothing is
  std::optional<RunningCommand> command_;  // that begins or follows
  std::string early_output_;               // behind the first line
  LineBuffer lines_;
  std::int64_t offset_ = 0;  // of lines_ in the record
  std::vector<std::string> orders_;  // all that were given
  bool ended_ = false;
  MonotonicNs last_news_ns_ = 0;  // when the run was heard of last, signs of life included
  MonotonicNs heard_ns_ = 0;      // when anything came over the link last
  MonotonicNs next_try_ns_ = 0;
  MonotonicNs wait_ns_ = 0;  // from one try to the next
};

}  // namespace lapcast
