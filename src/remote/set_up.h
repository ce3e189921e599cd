#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/error.h"
#include "probe/interrupt.h"
#include "remote/record.h"
#include "run/run.h"

namespace lapcast {

/// Returns where a request's program runs on this machine: the folder it was sent into, else its
/// own.
std::filesystem::path working_dir_of(const RecordFolder& folder, const RemoteRequest& request);

/// Runs the set-up command of a request in the program's folder on this machine, unless it has
/// succeeded for the same command and the same state of the folder since files were last sent, and
/// the data sets that it fetches exist. Waits for another process that runs it. Returns the step
/// when it ran; the Reason has the last lines that it printed.
Result<std::optional<PreparationStep>> set_up(const RecordFolder& folder,
                                              const RemoteRequest& request,
                                              const Interrupt& interrupt,
                                              const std::function<void(const std::string&)>& tell);

/// Returns a reason that names the first data set that is not on this machine, with the fix; none
/// when all are.
std::optional<Reason> missing_data(const RecordFolder& folder, const RemoteRequest& request);

}  // namespace lapcast
