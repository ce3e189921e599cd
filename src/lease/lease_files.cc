#include "lease/lease_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "core/units.h"
#include "lease/lease_clock.h"
#include "lease/machine_deadline.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUserData = R"sh(#!/bin/sh
# lapcast rented this machine: the power-off at its deadline comes first.
umask 077
left=$(({deadline} - $(date +%s)))
[ "$left" -le {term} ] || left={term}
[ "$left" -ge 1 ] || left=1
home=$(eval echo "~{user}")
{power_off}mkdir -p /etc/ssh
cat > /etc/ssh/ssh_host_ed25519_key <<'LAPCAST_KEY'
{host_key}LAPCAST_KEY
echo '{host_key_line}' > /etc/ssh/ssh_host_ed25519_key.pub
if [ -d "$home" ]; then
  mkdir -p "$home/.ssh"
  echo '{login_key_line}' >> "$home/.ssh/authorized_keys"
  chown -R "{user}" "$home/.ssh" || true
fi
systemctl restart ssh 2>/dev/null || systemctl restart sshd 2>/dev/null || true
)sh";

constexpr const char* kConnection = R"(Host {host}
  HostName {address}
  Port {port}
  User {user}
  IdentityFile {identity}
  IdentitiesOnly yes
  UserKnownHostsFile {known_hosts}
  GlobalKnownHostsFile /dev/null
  HostKeyAlias {host}
  StrictHostKeyChecking yes
  UpdateHostKeys no
  PasswordAuthentication no
  BatchMode yes
)";

/// Returns a path as a word of a configuration of ssh, which expands '%'.
std::string config_word(const fs::path& path) {
  std::string word = "\"";
  for (const char c : path.native()) word += c == '%' ? std::string("%%") : std::string(1, c);
  return word + "\"";
}

Result<void> make_key(const fs::path& file, const std::string& comment) {
  std::error_code absent;
  if (fs::exists(file, absent)) return {};
  const auto made =
      output_of({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file.native()},
                std::chrono::seconds{20});
  if (!made)
    return because("no key can be made: " + made.error().text +
                   "; install it: sudo apt install openssh-client");
  return {};
}

std::string first_line(const fs::path& file) {
  const std::string text = text_of_file(file, 4096);
  return text.substr(0, text.find('\n'));
}

/// Returns a key line without its comment, as known_hosts has it.
std::string without_comment(const std::string& line) {
  const std::size_t blank = line.find(' ');
  return blank == line.npos ? line : line.substr(0, line.find(' ', blank + 1));
}

}  // namespace

LeaseConnection connection_of(const fs::path& folder, const Lease& lease) {
  return {.host = host_of_lease(lease.id),
          .address = lease.address,
          .port = lease.port,
          .user = lease.user,
          .config = folder / "ssh_config",
          .identity = folder / "login",
          .known_hosts = folder / "known_hosts"};
}

Result<void> make_lease_keys(const fs::path& folder, const std::string& id) {
  const std::string& path = folder.native();
  const auto breaks_a_line = [](char c) { return c == '"' || static_cast<unsigned char>(c) < 32; };
  if (std::ranges::any_of(path, breaks_a_line)) {
    return because(
        fmt::format("ssh cannot read keys in '{}', whose name has quotes or line breaks; "
                    "set XDG_STATE_HOME to another folder",
                    printable(path)));
  }
  if (auto made = make_private_folders(folder); !made) return made;
  if (auto made = make_key(folder / "login", host_of_lease(id)); !made) return made;
  return make_key(folder / "host", host_of_lease(id));
}

std::string login_key(const fs::path& folder) {
  return first_line(folder / "login.pub");
}

std::string machine_key(const fs::path& folder) {
  return without_comment(first_line(folder / "host.pub"));
}

std::string user_data_script(const Lease& lease, const fs::path& folder) {
  const auto term = static_cast<std::int64_t>(lease.order.term.count());
  const Seconds left = from_ns(lease.deadline - lease_now_ns());
  // The machine's clock is right, as far as is known; that of leases was set earlier.
  const UtcNs deadline = clock_ns(CLOCK_REALTIME) + to_ns(left);
  return fmt::format(kUserData, fmt::arg("deadline", deadline / 1'000'000'000),
                     fmt::arg("term", std::max<std::int64_t>(1, term)),
                     fmt::arg("power_off", lines_of_machine_deadline()),
                     fmt::arg("host_key", text_of_file(folder / "host", 1 << 16)),
                     fmt::arg("host_key_line", machine_key(folder)), fmt::arg("user", lease.user),
                     fmt::arg("login_key_line", login_key(folder)));
}

Result<void> write_connection(const fs::path& folder, const Lease& lease) {
  const LeaseConnection connection = connection_of(folder, lease);
  // Without a known key the first contact writes the file.
  if (!lease.host_key.empty()) {
    const std::string line =
        fmt::format("{} {}\n", connection.host, without_comment(lease.host_key));
    if (auto written = write_private_file(connection.known_hosts, line); !written) return written;
  }
  return write_private_file(
      connection.config, fmt::format(kConnection, fmt::arg("host", connection.host),
                                     fmt::arg("address", lease.address),
                                     fmt::arg("port", lease.port), fmt::arg("user", lease.user),
                                     fmt::arg("identity", config_word(connection.identity)),
                                     fmt::arg("known_hosts", config_word(connection.known_hosts))));
}

std::vector<std::string> lease_ssh(const LeaseConnection& connection, const std::string& command) {
  std::vector<std::string> arguments =
      ssh_arguments({.host = connection.host, .config = connection.config.string()});
  arguments.insert(arguments.begin() + 1, {"-o", "ConnectTimeout=5"});
  arguments.insert(arguments.end(), {connection.host, command});
  return arguments;
}

void remove_lease_files(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace lapcast
