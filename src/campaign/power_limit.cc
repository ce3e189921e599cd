#include "campaign/power_limit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "campaign/cpu_lock.h"
#include "core/units.h"
#include "fleet/power_setting.h"
#include "machine/proc_text.h"
#include "posix/spawn.h"

namespace lapcast {
namespace {

constexpr std::chrono::seconds kPatienceWithDriver{20};

std::optional<double> watts_of(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value > 0 && value <= kHighestPowerLimit ? std::optional(value) : std::nullopt;
}

Result<std::vector<GpuPowerLimit>> gpu_power_limits() {
  const auto said =
      output_of({"nvidia-smi", "--query-gpu=index,power.limit,power.min_limit,power.max_limit",
                 "--format=csv,noheader,nounits"},
                kPatienceWithDriver);
  if (!said) return because("power limits need an NVIDIA GPU: " + said.error().text);
  return parse_gpu_power_limits(*said);
}

Result<void> set_limit(const std::string& gpu, double watts) {
  const auto done = output_of({"nvidia-smi", "-i", gpu, "-pl", fmt::format("{:.7g}", watts)},
                              kPatienceWithDriver);
  if (done) return {};
  return because(
      fmt::format("the power limit of GPU {} cannot be set to {:.7g} W, which needs "
                  "root: {}",
                  printable(gpu), watts, done.error().text));
}

/// Limits the GPUs of this machine, and restores their limits.
class GpuLimiter {
 public:
  explicit GpuLimiter(int watts) : watts_(watts) {}

  Result<void> set() {
    const auto limits = gpu_power_limits();
    if (!limits) return tl::unexpected(limits.error());
    for (const GpuPowerLimit& gpu : *limits)
      if (watts_ < gpu.least || watts_ > gpu.most)
        return because(fmt::format("{} W is out of the range of GPU {}: {:.7g} to {:.7g} W", watts_,
                                   printable(gpu.index), gpu.least, gpu.most));
    for (const GpuPowerLimit& gpu : *limits) {
      before_.push_back(gpu);  // a failure may have changed it
      const Result<void> done = set_limit(gpu.index, watts_);
      if (done && is_set(gpu.index)) continue;
      static_cast<void>(restore());
      if (!done) return done;
      return because(fmt::format("nvidia-smi did not set the power limit of GPU {} to {} W",
                                 printable(gpu.index), watts_));
    }
    return {};
  }

  Result<void> restore() {
    Result<void> all;
    for (const GpuPowerLimit& gpu : std::exchange(before_, {}))
      if (const Result<void> done = set_limit(gpu.index, gpu.now); !done) all = done;
    return all;
  }

 private:
  bool is_set(const std::string& index) const {
    const auto limits = gpu_power_limits();
    return limits && std::ranges::any_of(*limits, [&](const GpuPowerLimit& gpu) {
             return gpu.index == index && std::abs(gpu.now - watts_) < 1;
           });
  }

  int watts_;
  std::vector<GpuPowerLimit> before_;  // of those that were changed
};

/// Returns whether the other end of a socket is still held.
bool is_held(int socket) {
  pollfd end{socket, POLLRDHUP, 0};
  return poll(&end, 1, 0) == 0;
}

/// Serves a worker until it ends; runs in the guard's process.
int guard(int socket, int watts) {
  GpuLimiter gpus(watts);
  std::optional<CpuLock> alone;  // so that no other guard takes these limits for the usual ones
  const auto set = [&]() -> Result<void> {
    auto lock = CpuLock::acquire(
        {0}, [&](const std::string&) { return is_held(socket); }, std::nullopt, "lapcast-power");
    if (!lock) return tl::unexpected(lock.error());
    alone.emplace(std::move(*lock));
    Result<void> done = gpus.set();
    if (!done) alone.reset();
    return done;
  };
  const auto restore = [&] {
    Result<void> done = gpus.restore();
    alone.reset();
    return done;
  };
  char what = 0;
  for (ssize_t got = 0; (got = recv(socket, &what, 1, 0)) > 0 || (got < 0 && errno == EINTR);) {
    if (got < 0) continue;
    const Result<void> done = what == 's' ? set() : restore();
    const std::string answer = done ? "+" : "-" + done.error().text.substr(0, 900);
    if (send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
  }
  return restore() ? 0 : 1;
}

}  // namespace

Result<std::vector<GpuPowerLimit>> parse_gpu_power_limits(std::string_view text) {
  std::vector<GpuPowerLimit> limits;
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).empty()) continue;
    const auto parts = split(line, ',');
    const auto index = parse_integer(trimmed(parts[0]));
    if (parts.size() != 4 || !index || *index < 0)
      return because("nvidia-smi says no power limits, but: " + printable(line));
    const auto now = watts_of(parts[1]), least = watts_of(parts[2]), most = watts_of(parts[3]);
    if (!now || !least || !most)
      return because(fmt::format("GPU {} has no power limit that can be set", *index));
    limits.push_back({std::to_string(*index), *now, *least, *most});
  }
  if (limits.empty()) return because("power limits need an NVIDIA GPU: nvidia-smi lists none");
  return limits;
}

Result<PowerGuard> start_power_guard(int watts) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return because(std::strerror(errno));
  const FileDescriptor own(ends[0]);
  FileDescriptor workers(ends[1]);
  const auto serve = [&] {
    for (const int signal_of_users : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTTOU})
      signal(signal_of_users, SIG_IGN);
    // Descriptors of workers must not stay open here: their other ends wait for them to close.
    constexpr int kLowest = 3;
    if (own.get() != kLowest) dup3(own.get(), kLowest, O_CLOEXEC);
    close_range(kLowest + 1, ~0U, 0);
    return guard(kLowest, watts);
  };
  const Result<pid_t> pid = spawn({.streams = {kNullStream, kNullStream, kNullStream},
                                   .group = ProcessGroup::own_session,
                                   .work = serve});
  if (!pid) return tl::unexpected(pid.error());
  return PowerGuard{*pid, std::move(workers)};
}

Result<void> PowerLimit::ask(char what, const std::function<bool()>& goes_on) const {
  if (socket_ < 0) return {};
  if (send(socket_, &what, 1, MSG_NOSIGNAL) < 0) return because("the guard of power limits died");
  std::array<char, 1024> answer{};
  pollfd said{socket_, POLLIN, 0};
  while (poll(&said, 1, 100) <= 0)
    if (!goes_on()) return because("interrupted");
  const ssize_t got = recv(socket_, answer.data(), answer.size(), 0);
  if (got <= 0) return because("the guard of power limits died");
  if (answer[0] == '+') return {};
  return because(std::string(answer.data() + 1, static_cast<std::size_t>(got) - 1));
}

}  // namespace lapcast
