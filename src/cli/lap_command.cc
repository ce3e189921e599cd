#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "core/units.h"
#include "lap/lap_log_reader.h"
#include "lap/lap_log_writer.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr const char* kLapFooter = R"(
Examples, in a training script that is started by `lapcast probe -- ./train.sh`:
  lapcast lap plan epochs=3 batch=128 train=60000 validation=10000
  lapcast lap stage-begin data-load; fetch; lapcast lap stage-end data-load
  lapcast lap epoch-begin 1
  ./one-step; lapcast lap iteration 128
  lapcast lap epoch-end 1
  lapcast lap metric val_accuracy 0.97
  lapcast lap device-memory 3221225472; lapcast lap note "trained with two optimizers"

Events: plan, stage-begin, stage-end, checkpoint-begin, checkpoint-end, epoch-begin, epoch-end,
iteration, iteration-queued, validation-begin, validation-end, metric, phase, note, device-memory;
lapcast help lap-log has all of them. When nobody observes (no LAPCAST_LOG_DIR) it does nothing, quickly.)";

int rank_from_environment() {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name)) return std::max(0, std::atoi(text));
  return 0;
}

std::string opening(std::int64_t clock_ns, int rank) {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  Hello hello;
  hello.clock_ns = clock_ns;
  hello.wall_seconds = static_cast<double>(wall.tv_sec) + static_cast<double>(wall.tv_nsec) * 1e-9;
  hello.pid = getppid();
  hello.rank = rank;
  hello.world_size = rank + 1;
  hello.host = host;
  hello.emitter = "lapcast-lap/1";
  return lap_log_opening(hello);
}

/// Writes the log that all `lapcast lap` of one run share, one event at a time.
class ShellLog {
 public:
  explicit ShellLog(const std::string& folder) : rank_(rank_from_environment()) {
    const std::string file = fmt::format("{}/laps.shell.{}.log", folder, rank_);
    fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd_ < 0 || flock(fd_, LOCK_EX) != 0)
      throw Error(ExitCode::system_failed,
                  fmt::format("cannot write {}: {}", printable(file), std::strerror(errno)));
  }
  ~ShellLog() { close(fd_); }
  ShellLog(const ShellLog&) = delete;
  ShellLog& operator=(const ShellLog&) = delete;

  void append(const std::vector<std::string>& words) {
    const std::int64_t now = monotonic_ns();
    const std::optional<std::int64_t> began = begin_of_log();
    std::string text = began ? "" : opening(now, rank_);
    const Result<std::string> line = event_line(now - began.value_or(now), words);
    if (!line) throw Error(ExitCode::usage, line.error().text);
    text += *line;
    if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw Error(ExitCode::system_failed, "cannot write the lap log: disk full?");
  }

 private:
  /// Returns CLOCK_MONOTONIC of the hello that an earlier call wrote; nothing when this is the
  /// first.
  std::optional<std::int64_t> begin_of_log() const {
    char head[4096];
    const ssize_t got = pread(fd_, head, sizeof head, 0);
    if (got <= 0) return std::nullopt;
    const LapLog log = parse_lap_log({head, static_cast<std::size_t>(got)});
    if (!log.hello)
      throw Error(ExitCode::bad_input, "the shell's lap log does not begin with a hello line");
    return log.hello->clock_ns;
  }

  int rank_;
  int fd_ = -1;
};

struct LapArguments {
  std::vector<std::string> words;
};

ExitCode report_lap(const Globals&, const LapArguments& options) {
  const Result<std::string> checked = event_line(0, options.words);
  if (!checked) throw Error(ExitCode::usage, checked.error().text);
  const char* folder = std::getenv("LAPCAST_LOG_DIR");
  if (folder != nullptr && *folder != '\0') ShellLog(folder).append(options.words);
  return ExitCode::ok;
}

}  // namespace

void add_lap(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "lap", "report a lap or another event from a shell script", kLapFooter, report_lap);
  add_options(command, {{"EVENT", &options.words, "event and its values", kRequired}});
}

}  // namespace lapcast
