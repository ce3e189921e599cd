#include "remote/set_up.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/units.h"
#include "probe/clock.h"
#include "probe/output_capture.h"
#include "remote/command.h"
#include "remote/content_hash.h"
#include "remote/private_files.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

/// What was set up, as the file beside the program's folder says it.
std::string set_up_mark(const RemoteRequest& request) {
  ContentHash hash;
  hash.add(request.probe.site.setup);
  hash.add(request.content);
  return hash.hex();
}

/// FOLDER/work/NAME, or for a folder that was not sent a name made of its path.
std::filesystem::path note_of(const RecordFolder& folder, const RemoteRequest& request) {
  if (!request.work.empty()) return folder.work_dir(request.work).string() + ".set-up";
  ContentHash hash;
  hash.add(request.probe.context.working_dir);
  return folder.work_dir(hash.hex()).string() + ".set-up";
}

Result<void> run_command(const std::string& command, const std::filesystem::path& where,
                         const Interrupt& interrupt,
                         const std::function<void(const std::string&)>& tell) {
  // Its output is one, as on a terminal.
  auto running = RunningCommand::start(
      {"sh", "-c", "cd \"$1\" && exec sh -c \"$2\" 2>&1", "sh", where.string(), command});
  if (!running) return tl::unexpected(running.error());
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
  const std::string& command = request.probe.site.setup;
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
  if (read_private_file(note, 64) == set_up_mark(request)) return std::nullopt;
  const MonotonicNs begin = monotonic_ns();
  tell("set-up: " + printable(command, 100));
  auto done = run_command(command, working_dir_of(folder, request), interrupt, tell);
  if (done) done = write_private_file(note, set_up_mark(request));
  if (!done) return tl::unexpected(done.error());
  return PreparationStep{"set-up", from_ns(monotonic_ns() - begin), 0};
}

std::optional<Reason> missing_data(const RecordFolder& folder, const RemoteRequest& request) {
  std::error_code ignored;
  for (const DataSet& set : request.probe.site.data) {
    const std::filesystem::path path = working_dir_of(folder, request) / set.path;
    if (std::filesystem::exists(path, ignored)) continue;
    return Reason{fmt::format(
        "the data set {} is not on the machine{}; bring it there, or let lapcast do so with source = "
        "\"send\" or a set-up command",
        printable(set.path), set.source == DataSource::setup ? ", nor did the set-up fetch it" : "")};
  }
  return std::nullopt;
}

}  // namespace lapcast
