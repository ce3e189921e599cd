#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "probe/lap_folder.h"
#include "remote/agent_protocol.h"
#include "remote/patience.h"
#include "remote/record.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr int kLookEveryMs = 200;  // a shared file system tells nobody that a file grew

/// Waits until a file of a folder grows.
class GrowthWatch {
 public:
  explicit GrowthWatch(const std::filesystem::path& folder)
      : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (fd_ >= 0) inotify_add_watch(fd_, folder.c_str(), IN_MODIFY | IN_CREATE);
  }
  ~GrowthWatch() {
    if (fd_ >= 0) close(fd_);
  }
  GrowthWatch(const GrowthWatch&) = delete;
  GrowthWatch& operator=(const GrowthWatch&) = delete;
  void wait(int input_fd, int at_most_ms = kLookEveryMs) const {
    pollfd waiting[] = {{fd_, POLLIN, 0}, {input_fd, POLLIN, 0}};
    poll(waiting, 2, at_most_ms);
    std::array<char, 4096> events;
    while (read(fd_, events.data(), events.size()) > 0) {
    }
  }

 private:
  int fd_;
};

/// Reads a record while it grows; the record may be absent at first.
class RecordReader {
 public:
  RecordReader(const RecordFolder& folder, std::int64_t offset,
               const std::function<bool(std::string_view)>& write)
      : folder_(folder), offset_(offset), write_(write) {}
  ~RecordReader() {
    if (fd_ >= 0) close(fd_);
  }
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// Passes on the bytes that are new. Returns false when nobody takes them any more.
  bool pass_on() {
    if (fd_ < 0) fd_ = open(folder_.record_file().c_str(), O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (fd_ >= 0 && (got = pread(fd_, bytes_.data(), bytes_.size(), offset_)) > 0) {
      if (!write_({bytes_.data(), static_cast<std::size_t>(got)})) return false;
      offset_ += got;
      line_is_whole_ = bytes_[static_cast<std::size_t>(got) - 1] == '\n';
      said_ns_ = monotonic_ns();
    }
    if (!line_is_whole_) return true;
    if (std::exchange(was_at_end_, true)) return say_alive();
    return write_(to_line(message::SignOfLife{}));  // the coordinator has the whole record now
  }

 private:
  bool say_alive() {
    if (monotonic_ns() - said_ns_ < kSignOfLifeEvery) return true;
    said_ns_ = monotonic_ns();
    return write_(to_line(message::SignOfLife{}));
  }

  const RecordFolder& folder_;
  std::int64_t offset_;
  bool line_is_whole_ = true;
  bool was_at_end_ = false;
  MonotonicNs said_ns_ = monotonic_ns();
  const std::function<bool(std::string_view)>& write_;
  int fd_ = -1;
  std::vector<char> bytes_ = std::vector<char>(256 * 1024);
};

/// Reads the orders of a coordinator, and writes them down for the recorder.
class OrderListener {
 public:
  OrderListener(const RecordFolder& folder, int fd) : folder_(folder), fd_(fd) {
    if (fd_ >= 0) fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
  }
  int fd() const { return fd_; }  // -1 = nothing more will come
  bool wants_removal() const { return remove_; }
  void listen() {
    std::array<char, 4096> bytes;
    while (fd_ >= 0) {
      const ssize_t got = read(fd_, bytes.data(), bytes.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (got <= 0) fd_ = -1;
      if (got > 0) lines_.append({bytes.data(), static_cast<std::size_t>(got)});
    }
    while (const auto line = lines_.next()) {
      if (*line == kRemoveOrder)
        remove_ = true;
      else
        static_cast<void>(folder_.give_order(*line));
    }
  }

 private:
  const RecordFolder& folder_;
  int fd_;
  bool remove_ = false;
  LineBuffer lines_;
};

/// Waits, once the result was passed on, for the order to remove the folder, or for the end of
/// input.
void wait_for_removal(const RecordFolder& folder, OrderListener& listener,
                      const GrowthWatch& growth) {
  constexpr int kLong = 60'000;
  while (!listener.wants_removal() && listener.fd() >= 0) {
    growth.wait(listener.fd(), kLong);
    listener.listen();
  }
  std::error_code ignored;
  if (listener.wants_removal()) std::filesystem::remove_all(folder.root(), ignored);
}

constexpr const char* kCutOff = "its machine was switched off, or lapcast on it was killed";

/// Returns the newest of the run's own folders; a run that was begun anew has several.
fs::path newest_run_folder(const fs::path& root) {
  fs::path newest;
  fs::file_time_type newest_time{};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    if (!entry.path().filename().string().starts_with("lapcast-run-")) continue;
    const fs::file_time_type time = entry.last_write_time(ignored);
    if (newest.empty() || time > newest_time) newest = entry.path();
    newest_time = std::max(newest_time, time);
  }
  return newest;
}

/// Returns when the program was started last, on the clock of its machine; 0 when that is not
/// known.
MonotonicNs start_of(const RecordFolder& folder) {
  LineBuffer lines;
  lines.append(text_of_file(folder.record_file()));
  MonotonicNs start = 0;
  while (const auto line = lines.next()) {
    const AgentMessage said = parse_agent_message(*line);
    if (const auto* started = std::get_if<message::Started>(&said)) start = started->clock_ns;
  }
  return start;
}

/// Makes a run of the laps that were written, or of the reason why there are none.
Run run_from_its_laps(const RecordFolder& folder, const RemoteRequest& request) {
  Run run = run_not_started(request.probe.context, kCutOff);
  run.preparation = request.preparation;
  run.warnings = request.warnings;
  const fs::path run_folder = newest_run_folder(folder.root());
  if (run_folder.empty()) return run;
  LapFolder laps(run_folder / "laps", request.probe.limits.max_log_bytes);
  laps.finish();
  const LapLog& log = laps.log();
  if (log.laps.empty() || !log.hello) return run;
  const MonotonicNs start = start_of(folder);
  run.started_ns = start > 0 ? std::min(start, log.hello->clock_ns) : log.hello->clock_ns;
  run.ended_ns = log.hello->clock_ns + log.last_ns;
  run.warnings = laps.warnings();
  run.outcome =
      outcome::BudgetSpent{fmt::format("cut off after {} laps: {}", log.laps.size(), kCutOff)};
  run.lap_logs = std::move(laps).take_texts();
  return run;
}

namespace fs = std::filesystem;

/// Returns the elapsed time of the last progress in a record.
Seconds time_in(const fs::path& record_file) {
  std::ifstream record(record_file);
  Seconds time{0};
  for (std::string line; std::getline(record, line);) {
    if (const auto progress = parse_progress(line)) time = progress->elapsed;
  }
  return time;
}

/// Returns the folders of the same run: the folder itself, and ID.* where its name is ID or ID.*.
std::vector<fs::path> lives_of(const fs::path& record_folder) {
  const std::string name = record_folder.filename().string();
  const std::string id = name.substr(0, name.find('.'));
  std::vector<fs::path> lives{record_folder};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(record_folder.parent_path(), error))
    if (entry.path() != record_folder && entry.path().filename().string().starts_with(id + "."))
      lives.push_back(entry.path());
  return lives;
}

bool is_folder(const fs::path& path, timespec& written) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  written = status.st_mtim;
  return true;
}

}  // namespace

bool recover_result(const RecordFolder& folder) {
  auto writer = RecordWriter::open(folder);
  if (!writer) return folder.is_finished();
  const Result<RemoteRequest> request = folder.request();
  if (!request) return false;
  return writer->finish(run_from_its_laps(folder, *request));
}

void follow_record(const RecordFolder& folder, std::int64_t offset,
                   const std::function<bool(std::string_view)>& write, int input_fd) {
  const GrowthWatch growth(folder.root());
  RecordReader reader(folder, offset, write);
  OrderListener listener(folder, input_fd);
  while (true) {
    // Asked before the bytes are read, so that a finished record is passed on to its end.
    const bool finished = folder.is_finished();
    const bool abandoned = !finished && !is_recorded_now(folder) && !folder.is_finished();
    if (abandoned) recover_result(folder);
    if (!reader.pass_on()) return;
    if (finished || abandoned) break;
    growth.wait(listener.fd());
    listener.listen();
  }
  wait_for_removal(folder, listener, growth);
}

std::optional<EarlierAttempt> earlier_attempt(const fs::path& record_folder) {
  std::optional<EarlierAttempt> newest;
  timespec newest_time{};
  for (const fs::path& life : lives_of(record_folder)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(life, error)) {
      const std::string name = entry.path().filename().string();
      const bool of_program = name.starts_with("lapcast-run-");
      const fs::path run_dir = of_program ? entry.path() / "run" : entry.path();
      timespec written{};
      if ((!of_program && name != "inherited") || !is_folder(run_dir, written)) continue;
      if (newest && std::pair(written.tv_sec, written.tv_nsec) <=
                        std::pair(newest_time.tv_sec, newest_time.tv_nsec))
        continue;
      newest = EarlierAttempt{run_dir, time_in(life / "record")};
      newest_time = written;
    }
  }
  return newest;
}

}  // namespace lapcast
