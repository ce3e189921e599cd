#pragma once

#include <string>
#include <vector>

#include "probe/probe_request.h"
#include "remote/host.h"
#include "remote/program_files.h"
#include "remote/remote_run.h"

namespace lapcast {

/// Brings to a machine what a program needs there: lapcast itself into FOLDER/bin, the program's
/// folder into FOLDER/work/NAME, data sets that are sent to their paths. Only what changed is sent;
/// several lapcasts of this machine do so one after another.
class Delivery {
 public:
  /// The host and the interrupt have to outlive it.
  Delivery(const Host& host, const PlaceSetup& site, const Interrupt& interrupt, RemoteProgress tell)
      : host_(host), site_(site), interrupt_(interrupt), tell_(std::move(tell)) {}

  /// Sends this binary. `architecture`: what `uname -sm` says there; the failure of another one
  /// says what can be done.
  HostResult<void> send_tool(const std::string& architecture);
  /// Sends files and data, and lets lapcast there note what it received. Needs the tool there.
  HostResult<void> send_program(const ProgramFiles& files);

  /// What was done so far, for the run.
  const std::vector<PreparationStep>& steps() const { return steps_; }
  /// Returns warnings for the run: at the first sending, which files stayed at home.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Lets lapcast there make the program's folder ready; true at the first sending.
  HostResult<bool> make_ready_there(const ProgramFiles& files);
  /// Sends what a list names into a folder there, and keeps the step.
  HostResult<void> send_list(const FileList& list, const std::string& folder, const std::string& what,
                             const std::string& step);
  HostResult<void> make_folder(const std::string& path);
  CopyOptions copy_options(const std::string& what) const;

  const Host& host_;
  const PlaceSetup& site_;
  const Interrupt& interrupt_;
  RemoteProgress tell_;
  std::vector<PreparationStep> steps_;
  std::vector<std::string> warnings_;
};

/// The failure of a host that has not what was sent to it a moment ago.
HostFailure keeps_nothing(const Host& host);

/// A lock of this machine for sending to a host: path of its file; empty where no private folder is.
std::string delivery_lock_file(const Host& host, const PlaceSetup& site, const std::string& what);

}  // namespace lapcast
