#include "remote/set_up.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "core/hash.h"
#include "core/units.h"
#include "posix/files.h"
#include "probe/child_process.h"
#include "probe/ids_and_time.h"
#include "remote/command.h"
#include "remote/received_files.h"
#include "remote/ssh.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

/// Returns what the note beside the program's folder says after this set-up.
std::string set_up_mark(const RemoteRequest& request) {
  ContentHash hash;
  hash.add(request.probe.place_setup.setup);
  hash.add(request.content);
  return hash.hex();
}

/// Returns the note of FOLDER/work/NAME; a folder that was not sent has one named after its path.
std::filesystem::path note_of(const RecordFolder& folder, const RemoteRequest& request) {
  if (!request.work.empty()) return set_up_note(folder.work_dir(request.work));
  ContentHash hash;
  hash.add(request.probe.context.working_dir);
  return set_up_note(folder.work_dir(hash.hex()));
}

bool exists(const DataSet& set, const RecordFolder& folder, const RemoteRequest& request) {
  std::error_code ignored;
  return std::filesystem::exists(working_dir_of(folder, request) / set.path, ignored);
}

/// Returns whether the set-up command has succeeded, and what it fetched still exists.
bool is_set_up(const std::filesystem::path& note, const RecordFolder& folder,
               const RemoteRequest& request) {
  const std::vector<DataSet>& data = request.probe.place_setup.data;
  return text_of_file(note, 64) == set_up_mark(request) &&
         std::all_of(data.begin(), data.end(), [&](const DataSet& set) {
           return set.source != DataSource::setup || exists(set, folder, request);
         });
}

Result<void> run_command(const std::string& command, const std::filesystem::path& where,
                         const Interrupt& interrupt,
                         const std::function<void(const std::string&)>& tell) {
  // Its two outputs are mixed, as on a terminal.
  const FedCommand fed =
      fed_script("cd \"$1\" && exec 2>&1 </dev/null || exit; c=$2; set --; eval \"$c\"",
                 {where.string(), command});
  auto running = RunningCommand::start(fed.command);
  if (!running) return tl::unexpected(running.error());
  running->write(fed.input);
  running->close_input();
  OutputCapture output;
  while (!running->ended()) {
    running->wait(1000ms, interrupt.fd());
    const std::string said = running->take_output();
    output.append(said);
    if (interrupt.count() > 0) return because("interrupted during the set-up");
    if (const std::string last = last_lines(said, 1); !last.empty())
      tell("set-up: " + printable(last, 100));
  }
  output.append(running->take_output());
  if (running->status() == 0) return {};
  return because(fmt::format("the set-up command failed with exit status {}: {}", running->status(),
                             printable(last_lines(output.text() + running->error(), 3), 500)));
}

}  // namespace

std::filesystem::path working_dir_of(const RecordFolder& folder, const RemoteRequest& request) {
  return request.work.empty() ? std::filesystem::path(request.probe.context.working_dir)
                              : folder.work_dir(request.work);
}

Result<std::optional<PreparationStep>> set_up(const RecordFolder& folder,
                                              const RemoteRequest& request,
                                              const Interrupt& interrupt,
                                              const std::function<void(const std::string&)>& tell) {
  const std::string& command = request.probe.place_setup.setup;
  if (command.empty()) return std::nullopt;
  const std::filesystem::path note = note_of(folder, request);
  if (auto made = make_private_folders(note.parent_path()); !made)
    return tl::unexpected(made.error());
  FileLock lock(note.string() + ".lock");
  while (!lock.is_held()) {
    tell("waiting: another lapcast sets the program up");
    if (interrupt.count() > 0) return because("interrupted during the set-up");
    usleep(200'000);
    lock.try_again();
  }
  if (is_set_up(note, folder, request)) return std::nullopt;
  const MonotonicNs begin = monotonic_ns();
  tell("set-up: " + printable(command, 100));
  auto done = run_command(command, working_dir_of(folder, request), interrupt, tell);
  if (done) done = write_private_file(note, set_up_mark(request));
  if (!done) return tl::unexpected(done.error());
  return PreparationStep{"set-up", from_ns(monotonic_ns() - begin), 0};
}

std::optional<Reason> missing_data(const RecordFolder& folder, const RemoteRequest& request) {
  for (const DataSet& set : request.probe.place_setup.data) {
    if (exists(set, folder, request)) continue;
    return Reason{fmt::format(
        "the data set {} is not on the machine{}; put it on it, or let lapcast do so with source = "
        "\"send\" or a set-up command",
        printable(set.path),
        set.source == DataSource::setup ? ", nor did the set-up fetch it" : "")};
  }
  return std::nullopt;
}

}  // namespace lapcast
