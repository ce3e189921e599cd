#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "remote/agent_session.h"
#include "remote/remote_news.h"

namespace lapcast {

/// Asks the agent on a host to begin or to prepare the run of a request, and sends lapcast, the
/// program and its data when they are lacking. Tries again while the host cannot be reached for a
/// temporary cause. Returns the session that has accepted the run.
Result<AgentSession> begin_run(const Host& host, const ProbeRequest& request, AgentTask::Kind task,
                               const Interrupt& interrupt, const RemoteProgress& tell);

/// Follows the record of one run on a host, and reconnects when the connection breaks.
class RecordLink {
 public:
  /// Refers to the host, the setup and the interrupt, which must outlive it. `name` is the name of
  /// the folder below FOLDER/runs.
  RecordLink(const Host& host, const PlaceSetup& setup, std::string name,
             const Interrupt& interrupt);

  /// Follows the record from its beginning over a session that has accepted the run.
  void follow_session(AgentSession session);
  /// Follows another folder from now on, from the beginning of its record.
  void follow_folder(std::string name);
  /// Does the same as RemoteRun::follow().
  RemoteNews follow(std::chrono::milliseconds at_most);
  /// Does the same as RemoteRun::order().
  Result<void> order(const std::string& what);
  /// Does the same as RemoteRun::exists(), for the folder that is followed.
  Result<bool> exists() const;
  /// Removes the folder that is followed.
  Result<void> remove();
  /// Copies the newest run folder of the program into `local`, or `only` these paths of it.
  Result<FetchedFiles> fetch(const std::filesystem::path& local,
                             std::vector<std::string> only = {});
  /// Returns the paths of the files in that folder that were written since the run began; not those
  /// that it began with.
  Result<std::vector<std::string>> own_files() const;
  void close() { state_ = Disconnected{}; }
  /// Runs a script by sh in lapcast's own folder on the host. The Reason says that it failed.
  Result<std::string> run_script(const std::string& script,
                                 const std::vector<std::string>& arguments) const;

 private:
  struct Disconnected {
    MonotonicNs next_try_ns;
  };
  struct Connected {
    RunningCommand command;
    LineBuffer lines;
    MonotonicNs heard_ns;  // when anything came, signs of life included
  };

  std::string folder() const { return "runs/" + name_; }
  /// Returns the path of the newest run folder of the program below the folder that is followed.
  Result<std::string> run_dir() const;
  RemoteNews look(std::chrono::milliseconds at_most);
  void connect(AgentSession session);
  void reconnect(RemoteNews& news);
  void take_lines(Connected& link, RemoteNews& news);
  void take_message(std::string_view line, RemoteNews& news);
  void take_end(const Connected& link, RemoteNews& news);
  void break_off(const HostFailure& failure, RemoteNews& news);

  const Host& host_;
  const PlaceSetup& setup_;
  std::string name_;
  const Interrupt& interrupt_;
  std::variant<Disconnected, Connected> state_;
  std::int64_t offset_ = 0;          // of the first byte of the record that was not taken yet
  bool ended_ = false;               // the result was taken
  std::int64_t unreported_ = 0;      // bytes that came with the answer of a session
  std::vector<std::string> orders_;  // all that were given: a link that breaks may lose some
  MonotonicNs last_news_ns_;         // when the run was heard of last, signs of life included
  MonotonicNs wait_ns_ = 0;          // from one try to connect to the next
};

/// Waits for that long, or until an interrupt.
void wait_unless_interrupted(MonotonicNs wait_ns, const Interrupt& interrupt);

}  // namespace lapcast
