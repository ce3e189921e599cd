#include "commands/offload/session_folder.h"

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "core/units.h"
#include "posix/files.h"
#include "probe/run_folder.h"
#include "remote/agent_session.h"
#include "remote/host.h"
#include "remote/nodes_run.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Runs a script in lapcast's own folder on a machine and returns what it prints.
Result<std::string> output_of(const Host& host, const PlaceSetup& setup, const std::string& script,
                              const std::vector<std::string>& arguments) {
  auto done = host.run(in_agent_folder(setup, script, arguments));
  if (!done) return tl::unexpected(done.error().reason);
  if (done->status == 0) return std::move(done->output);
  return because(host.name() + ": " + printable(done->error, 300));
}

/// Returns the paths of all files in a folder, relative to it.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file(error))
      files.push_back(entry.path().lexically_relative(folder).string());
  return files;
}

}  // namespace

std::optional<SavedCheckpoint> SessionFolder::newest_checkpoint() const {
  const auto name = lapcast::newest_checkpoint(path_, pattern_);
  if (!name) return std::nullopt;
  std::error_code error;
  const auto written = std::chrono::file_clock::to_sys(fs::last_write_time(path_ / *name, error));
  return SavedCheckpoint{*name, Seconds(written.time_since_epoch()).count()};
}

Result<FetchedFiles> SessionFolder::bring(RemoteRun& run) const {
  if (auto made = make_private_folders(path_); !made) return tl::unexpected(made.error());
  return run.fetch(path_);
}

Result<void> SessionFolder::send_to(const ProbeRequest& request, const Interrupt* interrupt,
                                    const RemoteProgress& tell) const {
  const auto files = files_in(path_);
  if (files.empty()) return {};
  for (const ProbeRequest& of_node : requests_of_nodes(request))
    if (auto sent = send(files, of_node, interrupt, tell); !sent) return sent;
  return {};
}

Result<void> SessionFolder::send(const std::vector<std::string>& files, const ProbeRequest& request,
                                 const Interrupt* interrupt, const RemoteProgress& tell) const {
  const PlaceSetup& setup = request.place_setup;
  const auto host = host_of(setup.place);
  const std::string run = "runs/" + request.context.id, sent = "sent/" + request.context.id;
  const auto ready = output_of(*host, setup,
                               "umask 077; if [ -e \"$1/request.json\" ]; then echo begun; else "
                               "mkdir -p -- \"$2\"; fi",
                               {run, sent});
  if (!ready) return tl::unexpected(ready.error());
  if (*ready == "begun\n") return {};
  tell("sending what the training has written to " + host->name());
  const auto copied =
      host->copy_to(path_, files, agent_folder(setup) + "/" + sent, {.interrupt = interrupt});
  if (!copied) return tl::unexpected(copied.error().reason);
  // The run must never begin with a part of the files.
  const auto moved = output_of(*host, setup,
                               "umask 077; mkdir -p -- \"$1\" && rm -rf -- \"$1/inherited\" && "
                               "mv -- \"$2\" \"$1/inherited\"",
                               {run, sent});
  if (!moved) return tl::unexpected(moved.error());
  return {};
}

}  // namespace lapcast
