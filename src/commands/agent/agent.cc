#include "commands/agent/agent.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "campaign/recorder.h"
#include "core/units.h"
#include "discover/discover.h"
#include "machine/ordered_hardware.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/host_check.h"
#include "remote/patience.h"
#include "remote/received_files.h"
#include "remote/record.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostRequestBytes = 16 << 20;
constexpr std::size_t kMostContentBytes = 1000;
constexpr int kMostResumed = 3;  // how often a run is resumed while it is followed

/// Reads the first line of stdin, at most kMostRequestBytes. Reads single bytes, because others
/// read what follows.
std::string read_request_line() {
  std::string text;
  char byte = 0;
  while (text.size() < kMostRequestBytes) {
    const ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == '\n') break;
    text += byte;
  }
  return text;
}

/// Reads all of stdin, at most that many bytes.
std::string read_stdin(std::size_t max_bytes) {
  std::string text;
  read_available(STDIN_FILENO, text, max_bytes);
  return text;
}

/// Writes to stdout. Returns false when nobody reads it any more.
bool write_stdout(std::string_view bytes) {
  return write_all(STDOUT_FILENO, bytes);
}

/// Stops the signs of life, so that they do not mix with the answer, and writes it.
ExitCode answer(std::string_view lines, SignsOfLife& alive) {
  alive.stop();
  write_stdout(lines);
  return ExitCode::ok;
}

std::string refusal(const std::string& why) {
  return to_line(message::Refused{why});
}

/// Resumes recording a run from its checkpoint if nothing records it any more, as after a reboot. A
/// Slurm job continues by itself, only on its nodes. Returns whether the run continues.
bool resume(const RecordFolder& folder) {
  if (folder.is_finished() || folder.is_life_of_job()) return false;
  if (is_recorded_now(folder)) return true;
  const Result<RemoteRequest> request = folder.request();
  if (!request || !request->probe.goes_on_by_itself()) return false;
  if (auto writer = RecordWriter::open(folder))
    record_run_detached(folder, *request, std::move(*writer));
  return !folder.is_finished();
}

ExitCode follow_from(const RecordFolder& folder, std::int64_t offset, SignsOfLife& alive) {
  resume(folder);
  alive.stop();
  int resumed = 0;
  const auto record_again = [&] { return ++resumed <= kMostResumed && resume(folder); };
  if (write_stdout(to_line(message::Accepted{})))
    follow_record(folder, offset, write_stdout, 0, record_again);
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

/// Creates the run's folder. Returns the message with the reason if it cannot.
std::optional<std::string> create(const RecordFolder& folder, const RemoteRequest& request) {
  if (!request.work.empty() && !is_received(folder.work_dir(request.work), request.content))
    return to_line(message::LacksProgram{});
  if (const auto made = folder.create(request); !made) return refusal(made.error().text);
  return std::nullopt;
}

/// Returns the message with the reason if this machine is not the one that was ordered.
std::optional<std::string> refuse_hardware(const RecordFolder& folder,
                                           const RemoteRequest& request) {
  const std::optional<OrderedHardware>& ordered = request.probe.place_setup.ordered;
  if (!ordered) return std::nullopt;
  std::error_code unknown;
  const auto disk = std::filesystem::space(folder.root().parent_path().parent_path(), unknown);
  const auto why = why_not_as_ordered(*ordered, describe_this_machine(),
                                      unknown ? 0 : static_cast<std::int64_t>(disk.available));
  return why ? std::optional(refusal(why->text)) : std::nullopt;
}

/// Begins the run unless it has begun already, and follows it.
ExitCode begin(const RecordFolder& folder, SignsOfLife& alive) {
  const Result<RemoteRequest> request = remote_request_from_json(read_request_line());
  if (!request) return answer(refusal(request.error().text), alive);
  if (std::filesystem::exists(folder.record_file())) return follow_from(folder, 0, alive);
  if (const auto wrong = refuse_hardware(folder, *request)) return answer(*wrong, alive);
  if (const auto obstacle = create(folder, *request)) return answer(*obstacle, alive);
  // Without a writer another agent has just begun it.
  if (auto writer = RecordWriter::open(folder))
    record_run_detached(folder, *request, std::move(*writer));
  return follow_from(folder, 0, alive);
}

/// Creates the run's folder unless it exists; a Slurm job will record into it.
ExitCode prepare(const RecordFolder& folder, SignsOfLife& alive) {
  const Result<RemoteRequest> request = remote_request_from_json(read_request_line());
  if (!request) return answer(refusal(request.error().text), alive);
  if (!std::filesystem::exists(folder.request_file()))
    if (const auto obstacle = create(folder, *request)) return answer(*obstacle, alive);
  return answer(fmt::format("{}{}\n{}\n", to_line(message::Accepted{}), folder.root().string(),
                            own_binary().string()),
                alive);
}

ExitCode make_folder_ready(const std::string& work_dir) {
  const auto had_files = make_ready(work_dir, read_stdin(kMostListBytes));
  if (!had_files) throw Error(ExitCode::system_failed, had_files.error().text);
  write_stdout(*had_files ? kSentBefore : kFirstSending);
  return ExitCode::ok;
}

ExitCode note_files(const std::string& work_dir) {
  if (const auto noted = note_received(work_dir, read_stdin(kMostContentBytes)); !noted)
    throw Error(ExitCode::system_failed, noted.error().text);
  return ExitCode::ok;
}

RecordFolder folder_at(const std::string& path) {
  return RecordFolder(std::filesystem::absolute(path).lexically_normal());
}

/// Answers questions on stdin until it ends.
class CheckAnswers {
 public:
  explicit CheckAnswers(std::string folder) : folder_(std::move(folder)) {}

  void answer_all() {
    std::string piece(256 << 10, '\0');
    while (true) {
      const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      take({piece.data(), static_cast<std::size_t>(got)});
    }
  }

 private:
  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      if (to_take_ > 0) {
        swallow(bytes);
        continue;
      }
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      lines_.append(bytes.substr(0, end));
      bytes.remove_prefix(end);
      if (const auto line = lines_.next()) reply(parse_question(*line));
    }
  }

  /// Reads and drops bytes that only time the link.
  void swallow(std::string_view& bytes) {
    const auto taken = std::min<std::int64_t>(to_take_, static_cast<std::int64_t>(bytes.size()));
    bytes.remove_prefix(static_cast<std::size_t>(taken));
    to_take_ -= taken;
    if (to_take_ == 0)
      say(kTookAnswer);
    else if (monotonic_ns() - said_ns_ > kSignOfLifeEvery)
      say(to_line(message::SignOfLife{}));
  }

  void reply(const CheckQuestion& asked) {
    if (std::holds_alternative<question::Clock>(asked)) say(clock_answer(wall_clock_ns()));
    if (const auto* take = std::get_if<question::Take>(&asked)) to_take_ = take->bytes;
    if (!std::holds_alternative<question::Facts>(asked)) return;
    SignsOfLife alive;
    const std::string facts = facts_lines(facts_of_this_machine(folder_));
    alive.stop();
    say(facts);
  }

  void say(std::string_view text) {
    write_stdout(text);
    said_ns_ = monotonic_ns();
  }

  std::string folder_;
  LineBuffer lines_;
  std::int64_t to_take_ = 0;
  MonotonicNs said_ns_ = 0;
};

}  // namespace

ExitCode run_agent(const AgentTask& task) {
  using Kind = AgentTask::Kind;
  signal(SIGPIPE, SIG_IGN);
  switch (task.kind) {
    case Kind::record:
      return record(folder_at(task.folder));
    case Kind::make_ready:
      return make_folder_ready(task.folder);
    case Kind::received:
      return note_files(task.folder);
    case Kind::checks:
      CheckAnswers(std::filesystem::canonical(task.folder).string()).answer_all();
      return ExitCode::ok;
    default:
      break;
  }
  SignsOfLife alive;
  const RecordFolder folder = folder_at(task.folder);
  if (task.kind == Kind::begin) return begin(folder, alive);
  if (task.kind == Kind::prepare) return prepare(folder, alive);
  if (!std::filesystem::exists(folder.request_file()))
    return answer(refusal("the run's folder is gone"), alive);
  return follow_from(folder, task.from, alive);
}

}  // namespace lapcast
