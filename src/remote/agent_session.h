#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/place.h"
#include "probe/interrupt.h"
#include "remote/agent_protocol.h"
#include "remote/host.h"
#include "remote/program_files.h"
#include "run/run.h"

namespace lapcast {

class Delivery;

/// Returns lapcast's own folder on a machine: absolute, or relative to the home folder.
std::string agent_folder(const PlaceSetup& setup);

/// Returns the file name of this lapcast on other machines, "lapcast-0.1.0-HASH", which differs for
/// every build.
const std::string& tool_name();
/// Returns what `uname -sm` prints on a machine where this binary runs.
std::string tool_architecture();

/// Returns a command that runs `script` by sh in lapcast's own folder on a machine, with the
/// arguments as $1 and so on. The folder is created with mode 0700 when it is absent.
std::vector<std::string> in_agent_folder(const PlaceSetup& setup, const std::string& script,
                                         const std::vector<std::string>& arguments);

/// Returns a command that runs lapcast in that folder: FOLDER/bin/NAME, or, on another
/// architecture, a lapcast of the same version at FOLDER/bin/lapcast or on the PATH. If there is
/// none, it prints only message::LacksLapcast.
std::vector<std::string> agent_command(const PlaceSetup& setup,
                                       const std::vector<std::string>& arguments);

/// Owns a lapcast that was started on a machine, and reads its lines.
class AgentSession {
 public:
  /// Starts lapcast with these arguments, gives it `input` and waits for its first line. Sends
  /// lapcast to the machine first if it is lacking; `input` is called at each start. `is_over` ends
  /// the wait as an interrupt does. The host and the interrupt must outlive the session.
  static HostResult<AgentSession> start(const Host& host, Delivery& delivery,
                                        const Interrupt& interrupt,
                                        const std::vector<std::string>& arguments,
                                        const std::function<std::string()>& input,
                                        const std::function<bool()>& is_over = {});

  const std::string& first_line() const { return first_line_; }
  /// Waits for the next line that is not a sign of life. Fails when the agent ended, a signal came,
  /// nothing at all came for contact_patience() after the login, or no line within twice
  /// longest_contact().
  HostResult<std::string> next_line();
  void write(std::string_view input) { command_.write(input); }
  void write_pieces(std::function<std::string()> next) { command_.write_pieces(std::move(next)); }
  /// Returns the running command, to be followed in another way.
  RunningCommand take_command() && { return std::move(command_); }
  /// Returns what came after the last line.
  std::string take_rest() { return lines_.take_rest(); }

 private:
  AgentSession(const Host& host, const Interrupt& interrupt, RunningCommand command)
      : host_(&host), interrupt_(&interrupt), command_(std::move(command)) {}
  HostFailure ended() const;

  static constexpr std::size_t kMostAnswer = 1 << 20;  // bytes of a line
  const Host* host_;
  const Interrupt* interrupt_;
  RunningCommand command_;
  std::function<bool()> is_over_;
  LineBuffer lines_{kMostAnswer};
  std::string first_line_;
};

/// Receives what happens before a program starts on a remote machine, such as "sending the program
/// to gpu-box: 45 %".
using RemoteProgress = std::function<void(const std::string& what)>;

/// Sends a machine what a program needs: lapcast itself into FOLDER/bin, the program's folder into
/// FOLDER/work/NAME, and data sets to their paths. Sends only what changed; several lapcasts of
/// this machine send one after another.
class Delivery {
 public:
  /// Refers to the host, the setup and the interrupt, which must outlive it.
  Delivery(const Host& host, const PlaceSetup& setup, const Interrupt& interrupt,
           RemoteProgress tell)
      : host_(host), setup_(setup), interrupt_(interrupt), tell_(std::move(tell)) {}

  const PlaceSetup& setup() const { return setup_; }
  /// Sends this binary to a machine on which `uname -sm` prints `architecture`. The failure for
  /// another architecture says what can be done.
  HostResult<void> send_tool(const std::string& architecture);
  /// Sends files and data, and lets the agent note what it received. The agent must be sent before.
  HostResult<void> send_program(const ProgramFiles& files);

  /// Returns the steps done so far, for the run.
  const std::vector<PreparationStep>& steps() const { return steps_; }
  /// Returns warnings for the run: which files were not sent, at the first sending.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Lets the agent make the program's folder ready; returns true at the first sending.
  HostResult<bool> make_folder_ready(const ProgramFiles& files);
  /// Sends what a list names into a remote folder, and keeps the step.
  HostResult<void> send_list(const FileList& list, const std::string& folder,
                             const std::string& what, const std::string& step);
  HostResult<void> make_folder(const std::string& path);
  /// Runs a command to its end; a status other than 0 is a failure of `what`.
  HostResult<CommandOutput> run(const std::string& what, const std::vector<std::string>& command,
                                CommandOptions options = {}) const;
  CopyOptions copy_options(const std::string& what) const;

  const Host& host_;
  const PlaceSetup& setup_;
  const Interrupt& interrupt_;
  RemoteProgress tell_;
  std::vector<PreparationStep> steps_;
  std::vector<std::string> warnings_;
};

/// Returns the failure of a host that lacks what was sent to it a moment ago.
HostFailure keeps_nothing(const Host& host);

}  // namespace lapcast
