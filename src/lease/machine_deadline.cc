#include "lease/machine_deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "core/units.h"
#include "remote/command.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

constexpr std::chrono::seconds kMoveLimit{15};

/// Waits for the moment in the file $0, which may be moved meanwhile, and powers the machine off.
/// Without the file it does so at once.
constexpr const char* kEndAtMoment =
    R"(while read -r up _ </proc/uptime && read -r end <"$0" && [ "${up%.*}" -lt "$end" ]; do )"
    R"(sleep 3; done; poweroff || shutdown -h now)";

/// Is run by the login, where it may be root.
constexpr const char* kSetDeadline = R"sh(umask 077
sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
file=~/.lapcast-deadline
[ -e "$file" ] || file=/run/lapcast-deadline
is_new=
[ -e "$file" ] || is_new=1
{when_set}
[ -z "$is_new" ] || file=~/.lapcast-deadline
read -r up _ </proc/uptime
$sudo sh -c 'umask 077; echo "$1" >"$0.new" && mv -f "$0.new" "$0"' "$file" $((${{up%.*}} + {left})) || {on_failure}
$sudo shutdown -c >/dev/null 2>&1
$sudo shutdown -h +{minutes} >/dev/null 2>&1
[ -z "$is_new" ] || setsid $sudo sh -c '{end}' "$file" </dev/null >/dev/null 2>&1 &
exit 0
)sh";

std::int64_t whole_seconds(Seconds time) {
  return std::max<std::int64_t>(1, std::llround(std::ceil(time.count())));
}

std::string script_of(Seconds left, const char* when_set, const char* on_failure) {
  const std::int64_t seconds = whole_seconds(left);
  return fmt::format(kSetDeadline, fmt::arg("when_set", when_set), fmt::arg("left", seconds),
                     fmt::arg("on_failure", on_failure), fmt::arg("minutes", (seconds + 59) / 60),
                     fmt::arg("end", kEndAtMoment));
}

}  // namespace

std::string lines_of_machine_deadline() {
  return fmt::format(R"sh(file=$home/.lapcast-deadline
[ -d "$home" ] || file=/run/lapcast-deadline
read -r up _ </proc/uptime
echo $((${{up%.*}} + left)) >"$file"
shutdown -h "+$(((left + 59) / 60))" || true
sh -c '{}' "$file" >/dev/null 2>&1 &
)sh",
                     kEndAtMoment);
}

std::string guard_script(Seconds left) {
  return script_of(left, "[ -n \"$is_new\" ] || exit 0", "exit 0");
}

Result<void> move_machine_deadline(const LeaseConnection& connection, Seconds left) {
  auto ssh = RunningCommand::start(lease_ssh(connection, "sh -s"));
  if (!ssh) return tl::unexpected(ssh.error());
  ssh->write(script_of(left, ":", "exit 1"));
  ssh->close_input();
  const auto until = std::chrono::steady_clock::now() + kMoveLimit;
  while (!ssh->ended()) {
    if (std::chrono::steady_clock::now() >= until) return because("ssh did not answer");
    ssh->wait(std::chrono::milliseconds{100});
    ssh->take_output();
  }
  if (ssh->status() == 0) return {};
  return because("ssh said: " + printable(last_lines(ssh->error(), 1), 300));
}

}  // namespace lapcast
