#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "machine/place.h"
#include "probe/interrupt.h"
#include "remote/host.h"
#include "remote/program_files.h"
#include "run/run.h"

namespace lapcast {

/// Is told what goes on before a program starts on a remote machine: "sending 12 MiB to gpu-box: 45
/// %".
using RemoteProgress = std::function<void(const std::string& what)>;

/// Brings to a machine what a program needs: lapcast itself into FOLDER/bin, the program's folder
/// into FOLDER/work/NAME, data sets that are sent to their paths. Sends only what changed; several
/// lapcasts of this machine send one after another.
class Delivery {
 public:
  /// The host, the setup and the interrupt must outlive it.
  Delivery(const Host& host, const PlaceSetup& setup, const Interrupt& interrupt,
           RemoteProgress tell)
      : host_(host), setup_(setup), interrupt_(interrupt), tell_(std::move(tell)) {}

  const PlaceSetup& setup() const { return setup_; }
  /// Sends this binary to a machine on which `uname -sm` prints `architecture`. The failure for
  /// another architecture says what can be done.
  HostResult<void> send_tool(const std::string& architecture);
  /// Sends files and data, and lets the agent note what it received. The agent must be sent before.
  HostResult<void> send_program(const ProgramFiles& files);

  /// Returns what was done so far, for the run.
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
