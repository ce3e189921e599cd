#include "cli/far_side.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <filesystem>

#include "core/units.h"
#include "fleet/recorder.h"
#include "posix/program_file.h"
#include "remote/agent_command.h"
#include "remote/host_check.h"
#include "remote/patience.h"
#include "remote/received_files.h"
#include "remote/record.h"

namespace lapcast {
namespace {

/// The first line of stdin, byte by byte: what follows is for others. At most that much.
std::string read_line(std::size_t max_bytes) {
  std::string text;
  char byte = 0;
  while (text.size() < max_bytes) {
    const ssize_t got = read(0, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == '\n') break;
    text += byte;
  }
  return text;
}

/// All of stdin, at most that much.
std::string read_input(std::size_t max_bytes) {
  std::string text;
  std::array<char, 64 * 1024> bytes;
  while (text.size() < max_bytes) {
    const ssize_t got = read(0, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// False when whoever listens is gone.
bool write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(1, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

ExitCode refuse(const std::string& why, SignsOfLife& alive) {
  alive.stop();
  write_out("X " + printable(why, 1000) + "\n");
  return ExitCode::ok;
}

/// A run that can go on from a checkpoint, and that nobody records any more (its machine was booted
/// anew), goes on.
void resume(const RecordFolder& folder) {
  if (folder.is_finished() || is_recorded_now(folder)) return;
  const Result<RemoteRequest> request = folder.request();
  if (!request || !request->probe.resume) return;
  if (auto writer = RecordWriter::open(folder))
    record_run_detached(folder, *request, std::move(*writer));
}

ExitCode follow_from(const RecordFolder& folder, std::int64_t offset, SignsOfLife& alive) {
  resume(folder);
  alive.stop();
  if (!write_out("B\n")) return ExitCode::ok;
  follow_record(folder, offset, write_out, 0);
  return ExitCode::ok;
}

ExitCode record(const RecordFolder& folder) {
  const Result<RemoteRequest> request = folder.request();
  if (!request) throw Error(ExitCode::bad_input, request.error().text);
  auto writer = RecordWriter::open(folder);
  if (!writer && folder.is_finished()) return ExitCode::ok;
  if (!writer) throw Error(ExitCode::system_failed, writer.error().text);
  Interrupt interrupt;
  return record_run(folder, *request, *writer, interrupt) ? ExitCode::ok : ExitCode::system_failed;
}

bool lacks_program(const RecordFolder& folder, const RemoteRequest& request) {
  return !request.work.empty() && !is_received(folder.work_dir(request.work), request.content);
}

ExitCode ask_for_program(SignsOfLife& alive) {
  alive.stop();
  write_out("N program\n");
  return ExitCode::ok;
}

/// Begins the run unless it was begun before.
ExitCode begin(const RecordFolder& folder, SignsOfLife& alive) {
  const Result<RemoteRequest> request = remote_request_from_json(read_line(16 << 20));
  if (!request) return refuse(request.error().text, alive);
  if (std::filesystem::exists(folder.record_file())) return follow_from(folder, 0, alive);
  if (lacks_program(folder, *request)) return ask_for_program(alive);
  if (const auto made = folder.create(*request); !made) return refuse(made.error().text, alive);
  auto writer = RecordWriter::open(folder);
  if (writer) record_run_detached(folder, *request, std::move(*writer));
  // Without: another one began it just now.
  return follow_from(folder, 0, alive);
}

/// Makes the run's folder, unless it was made before; something else is going to record into it.
ExitCode prepare(const RecordFolder& folder, SignsOfLife& alive) {
  const Result<RemoteRequest> request = remote_request_from_json(read_line(16 << 20));
  if (!request) return refuse(request.error().text, alive);
  if (!std::filesystem::exists(folder.request_file())) {
    if (lacks_program(folder, *request)) return ask_for_program(alive);
    if (const auto made = folder.create(*request); !made) return refuse(made.error().text, alive);
  }
  const std::string tool = own_binary().string();
  alive.stop();
  write_out("B\n" + folder.root().string() + "\n" + tool + "\n");
  return ExitCode::ok;
}

ExitCode make_ready_for_input(const std::string& work_dir) {
  const auto had_files = make_ready(work_dir, read_input(kMostListBytes));
  if (!had_files) throw Error(ExitCode::system_failed, had_files.error().text);
  write_out(*had_files ? kSentBefore : kFirstSending);
  return ExitCode::ok;
}

ExitCode received(const std::string& work_dir) {
  if (const auto noted = note_received(work_dir, read_input(1000)); !noted)
    throw Error(ExitCode::system_failed, noted.error().text);
  return ExitCode::ok;
}

RecordFolder folder_at(const std::string& path) {
  return RecordFolder(std::filesystem::absolute(path).lexically_normal());
}

}  // namespace

void FarSide::add_to(CLI::App& app) {
  constexpr const char* kHidden = "";
  app.add_option("--record", record)->group(kHidden);
  app.add_option("--begin", begin)->group(kHidden);
  app.add_option("--prepare", prepare)->group(kHidden);
  app.add_option("--follow", follow)->group(kHidden);
  app.add_option("--make-ready", make_ready)->group(kHidden);
  app.add_option("--received", received)->group(kHidden);
  app.add_option("--from", from)->group(kHidden);
  app.add_option("--answer-checks", checked)->group(kHidden);
}

bool FarSide::is_asked() const {
  return !record.empty() || !begin.empty() || !prepare.empty() || !follow.empty() ||
         !make_ready.empty() || !received.empty() || !checked.empty();
}

ExitCode FarSide::run() const {
  signal(SIGPIPE, SIG_IGN);
  if (!record.empty()) return lapcast::record(folder_at(record));
  if (!make_ready.empty()) return make_ready_for_input(make_ready);
  if (!received.empty()) return lapcast::received(received);
  if (!checked.empty()) {
    answer_checks(std::filesystem::canonical(checked).string());
    return ExitCode::ok;
  }
  SignsOfLife alive;
  if (!begin.empty()) return lapcast::begin(folder_at(begin), alive);
  if (!prepare.empty()) return lapcast::prepare(folder_at(prepare), alive);
  const RecordFolder folder = folder_at(follow);
  if (!std::filesystem::exists(folder.request_file()))
    return refuse("the run's folder is not there any more", alive);
  return follow_from(folder, from, alive);
}

}  // namespace lapcast
