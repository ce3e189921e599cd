#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/agent_protocol.h"
#include "remote/host.h"

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
/// architecture, a lapcast of the same version at FOLDER/bin/lapcast or on the PATH. Where there is
/// none it prints message::LacksLapcast and nothing else.
std::vector<std::string> agent_command(const PlaceSetup& setup,
                                       const std::vector<std::string>& arguments);

/// A lapcast that was started on a machine, and what it says.
class AgentSession {
 public:
  /// Starts lapcast with these arguments, gives it `input` and waits for its first line. Sends
  /// lapcast to the machine first when it is lacking; `input` is asked for at each start. `is_over`
  /// ends the waiting as an interrupt does. The host and the interrupt must outlive the session.
  static HostResult<AgentSession> start(const Host& host, Delivery& delivery,
                                        const Interrupt& interrupt,
                                        const std::vector<std::string>& arguments,
                                        const std::function<std::string()>& input,
                                        const std::function<bool()>& is_over = {});

  const std::string& first_line() const { return first_line_; }
  /// Waits for the next line that is no sign of life. Fails when the agent ended, a signal came,
  /// nothing at all came for contact_patience() after the login, or no line within twice
  /// longest_contact().
  HostResult<std::string> next_line();
  void write(std::string_view input) { command_.write(input); }
  /// Returns the running command, to be followed in another way, and what came behind the last
  /// line.
  RunningCommand take_command() && { return std::move(command_); }
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

}  // namespace lapcast
