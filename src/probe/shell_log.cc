#include "probe/shell_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/units.h"
#include "lap/lap_log_reader.h"
#include "lap/lap_log_writer.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

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

}  // namespace

ShellLog::ShellLog(const std::string& folder) : rank_(rank_from_environment()) {
  const std::string file = fmt::format("{}/laps.shell.{}.log", folder, rank_);
  fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0 || flock(fd_, LOCK_EX) != 0)
    throw Error(ExitCode::system_failed,
                fmt::format("cannot write {}: {}", printable(file), std::strerror(errno)));
}

ShellLog::~ShellLog() {
  close(fd_);
}

void ShellLog::append(const std::vector<std::string>& words) {
  const std::int64_t now = monotonic_ns();
  const std::optional<std::int64_t> began = begin_of_log();
  std::string text = began ? "" : opening(now, rank_);
  const Result<std::string> line = event_line(now - began.value_or(now), words);
  if (!line) throw Error(ExitCode::usage, line.error().text);
  text += *line;
  if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw Error(ExitCode::system_failed, "cannot write the lap log: disk full?");
}

std::optional<std::int64_t> ShellLog::begin_of_log() const {
  char head[4096];
  const ssize_t got = pread(fd_, head, sizeof head, 0);
  if (got <= 0) return std::nullopt;
  const LapLog log = parse_lap_log({head, static_cast<std::size_t>(got)});
  if (!log.hello)
    throw Error(ExitCode::bad_input, "the shell's lap log does not begin with a hello line");
  return log.hello->clock_ns;
}

}  // namespace lapcast
