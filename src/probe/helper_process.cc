#include "probe/helper_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "posix/spawn.h"

namespace lapcast {

static constexpr std::size_t kMostRead = 1 << 20;

Result<HelperProcess> HelperProcess::start(std::string_view program,
                                           std::vector<std::string> arguments) {
  const FileDescriptor file(memfd_create(arguments[0].c_str(), MFD_CLOEXEC));
  Result<Pipe> output = open_pipe();
  if (!file.is_open() || !write_all(file.get(), program) || !output)
    return because(std::strerror(errno));
  const Result<pid_t> pid =
      spawn({.arguments = std::move(arguments),
             .file = fmt::format("/proc/self/fd/{}", file.get()),
             .streams = {kNullStream, output->write_end.get(), output->write_end.get()},
             .signal_at_parent_death = SIGKILL});
  if (!pid) return tl::unexpected(pid.error());
  set_nonblocking(output->read_end);
  return HelperProcess(*pid, std::move(output->read_end));
}

HelperProcess::HelperProcess(pid_t pid, FileDescriptor output)
    : pid_(pid), output_(std::move(output)) {}

HelperProcess::HelperProcess(HelperProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), output_(std::move(other.output_)) {}

HelperProcess& HelperProcess::operator=(HelperProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(output_, other.output_);
  return *this;
}

HelperProcess::~HelperProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  wait_for(pid_);
}

std::optional<std::string> HelperProcess::read() {
  std::string text;
  char bytes[4096];
  ssize_t got = 0;
  while (text.size() < kMostRead && (got = ::read(output_.get(), bytes, sizeof bytes)) > 0)
    text.append(bytes, static_cast<std::size_t>(got));
  if (got == 0 && text.empty()) return std::nullopt;
  return text;
}

}  // namespace lapcast
