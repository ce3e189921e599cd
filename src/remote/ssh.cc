#include "remote/ssh.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "run/text_bytes.h"

namespace lapcast {

// Words for shells --------------------------------------------------------------------------------

namespace {

bool is_plain_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./:,@+").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quote(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    throw Error(ExitCode::usage, "an argument holds a NUL byte, which no program can be given");
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain_char))
    return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    // Within single quotes these characters are special to some shell; after a backslash outside
    // quotes they are literal to all.
    if (c == '\'' || c == '\\' || c == '!')
      word.append("'\\").append(1, c).append("'");
    else
      word += c;
  }
  return word + "'";
}

std::string shell_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> quoted;
  for (const std::string& argument : arguments) quoted.push_back(shell_quote(argument));
  return fmt::format("{}", fmt::join(quoted, " "));
}

FedCommand fed_script(const std::string& script, const std::vector<std::string>& arguments) {
  // Takes the number of bytes as $1, since sh may read beyond a script on its stdin. A script that
  // was cut off lacks its closing brace and does not run.
  constexpr const char* kRunInput = "c=$(dd bs=1 count=\"$1\" 2>/dev/null) && eval \"$c\"";
  std::string input = fmt::format("{{ set -- {}\n{}\n}}\n", shell_command(arguments), script);
  std::string size = std::to_string(input.size());
  return {{"sh", "-c", kRunInput, "sh", std::move(size)}, std::move(input)};
}

namespace {

// A socket's name has at most 107 bytes; ssh adds 40 digits, and 17 more while it creates the
// socket.
constexpr std::size_t kLongestFolder = 107 - 17 - 40 - 1;

/// Returns a value of an option of ssh as one word of it, whatever blanks it has.
std::string quoted_value(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "\"" + text + "\"";
}

bool make_socket_folder(const std::string& folder) {
  if (folder.size() > kLongestFolder) return false;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  return is_own_path(folder, S_IFDIR, Forbidden::any_use);
}

struct Symptom {
  std::string_view says;
  std::string_view fix;  // {0} = the host
  bool passes;
};

// The first entry whose text occurs in what ssh printed counts.
constexpr Symptom kSymptoms[] = {
    {"program ssh not found", "this machine lacks ssh; install it: sudo apt install openssh-client",
     false},
    {"REMOTE HOST IDENTIFICATION HAS CHANGED",
     "the host key of {0} is not the one that is known: someone may be in between, or the machine "
     "was set up anew; make sure which, then run: ssh-keygen -R {0}; ssh {0}",
     false},
    {"host key is known for",
     "the host key of {0} is not known yet; connect once by hand and compare it: ssh {0}", false},
    {"Host key verification failed",
     "the host key of {0} was refused; connect once by hand and see why: ssh {0}", false},
    {"Permission denied (",
     "{0} wants a password or another key, and lapcast never asks; set up a key: ssh-copy-id {0}",
     false},
    {"Too many authentication failures",
     "{0} refused all keys; name the right one with IdentityFile in the ssh config", false},
    {"Temporary failure in name resolution",
     "the name of {0} cannot be looked up just now; is there a network?", true},
    {"Could not resolve hostname",
     "no machine is called {0}; give it a Host entry in the ssh config, or correct the name",
     false},
    {"Bad configuration option", "ssh refuses its config file; run: ssh {0}", false},
    {"Can't open user config file", "the ssh config named by LAPCAST_SSH_CONFIG cannot be read",
     false},
    {"Bad owner or permissions", "ssh refuses its config file: others can write to it", false},
    {"This account is currently not available", "the account on {0} allows no commands", false},
    {"Connection refused", "no ssh server answers on {0}; is it running, and is the port right?",
     true},
    {"timed out", "{0} does not answer; is it switched on, and does a firewall let ssh pass?",
     true},
    {"No route to host", "there is no way to {0}; is it switched on?", true},
    {"Network is unreachable", "there is no network to {0}", true},
};

}  // namespace

std::string socket_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && is_own_path(runtime, S_IFDIR, Forbidden::any_use))
    if (const std::string folder = std::string(runtime) + "/lapcast"; make_socket_folder(folder))
      return folder;
  const std::string folder = fmt::format("/tmp/lapcast-{}", geteuid());
  return make_socket_folder(folder) ? folder : "";
}

std::vector<std::string> ssh_arguments(const SshPlace& place) {
  std::vector<std::string> arguments{"ssh", "-T", "-a", "-x"};
  const char* own_config = std::getenv("LAPCAST_SSH_CONFIG");
  const std::string config =
      !place.config.empty() || own_config == nullptr ? place.config : own_config;
  if (!config.empty()) arguments.insert(arguments.end(), {"-F", config});
  const auto option = [&](std::string text) {
    arguments.insert(arguments.end(), {"-o", std::move(text)});
  };
  if (!place.known_hosts.empty()) option("UserKnownHostsFile=" + quoted_value(place.known_hosts));
  for (const char* text :
       {"BatchMode=yes", "NumberOfPasswordPrompts=0", "StrictHostKeyChecking=yes",
        "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        "RemoteCommand=none", "RequestTTY=no", "EscapeChar=none", "LogLevel=ERROR",
        "ServerAliveInterval=5", "ServerAliveCountMax=3"})
    option(text);
  // ContactWatch notices silence; this option is for connections that it cannot watch.
  option(fmt::format("ConnectTimeout={:.0f}", std::ceil(longest_contact().count())));
  const std::string folder = socket_folder();
  // %C does not depend on the name of the host key, and another machine may get the address of one
  // that is gone. The name of a host that has its own config is the machine's alone.
  const std::string socket = place.config.empty() ? "%C" : place.host;
  option(folder.empty() ? "ControlPath=none" : "ControlPath=" + folder + "/" + socket);
  if (!folder.empty()) {
    option("ControlMaster=auto");
    option("ControlPersist=30");
  }
  return arguments;
}

std::vector<std::string> ssh_command(const SshPlace& place,
                                     const std::vector<std::string>& arguments,
                                     const std::string& marker) {
  std::vector<std::string> ssh = ssh_arguments(place);
  ssh.push_back(place.host);
  // Every login shell knows these words; the empty line ends what the login may have printed.
  ssh.push_back("echo; echo " + marker + "; exec " + shell_command(arguments));
  return ssh;
}

std::string does_not_answer(const std::string& host) {
  return fmt::format(
      "{} does not answer: it was silent for {}; is it switched on, and does this "
      "work: ssh {} true (a slow login: LAPCAST_PATIENCE=30s)",
      host, format_duration(contact_patience()), host);
}

SshTrouble explain_ssh(const std::string& host, const std::string& standard_error) {
  for (const Symptom& symptom : kSymptoms)
    if (standard_error.find(symptom.says) != std::string::npos)
      return {fmt::format(fmt::runtime(symptom.fix), host), symptom.passes};
  const std::string last = printable(last_lines(standard_error, 1), 300);
  return {fmt::format("the link to {} broke{}{}", host, last.empty() ? "" : ": ", last), true};
}

// Relay for rsync ---------------------------------------------------------------------------------

namespace {

/// Waits until something can be read. Returns false when the other end was silent for too long.
bool wait_for_contact(int from, ContactWatch& contact) {
  pollfd waiting{from, POLLIN, 0};
  while (poll(&waiting, 1, 200) <= 0)
    if (contact.is_overdue()) return false;
  return !contact.is_overdue();
}

/// Passes on what follows the line `marker`. Returns false if the line never came.
bool pass_on(int from, const std::string& marker, pid_t ssh) {
  ContactWatch contact(ssh);
  const std::string line = "\n" + marker + "\n";
  std::string head;
  bool found = false;
  std::array<char, 256 * 1024> bytes;
  while (true) {
    if (!found && !wait_for_contact(from, contact)) return false;
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const std::string_view piece(bytes.data(), static_cast<std::size_t>(got));
    if (found) {
      if (!write_all(1, piece)) return true;
      continue;
    }
    head += piece;
    const std::size_t at = head.find(line);
    found = at != std::string::npos;
    if (found && !write_all(1, std::string_view(head).substr(at + line.size()))) return true;
    if (!found && head.size() > line.size()) head.erase(0, head.size() - line.size());
  }
}

}  // namespace

std::vector<std::string> relay_words(const SshPlace& place) {
  std::vector<std::string> words;
  if (!place.config.empty()) words.insert(words.end(), {"--config", place.config});
  if (!place.known_hosts.empty()) words.insert(words.end(), {"--known-hosts", place.known_hosts});
  return words;
}

int relay_ssh(const std::vector<std::string>& words) {
  std::size_t at = 0;
  SshPlace place;
  std::string user;
  for (; words.size() > at + 2; at += 2) {
    if (words[at] == "--config")
      place.config = words[at + 1];
    else if (words[at] == "--known-hosts")
      place.known_hosts = words[at + 1];
    else if (words[at] == "-l")
      user = words[at + 1] + "@";
    else
      break;
  }
  if (words.size() < at + 2)
    throw Error(ExitCode::usage, "ssh-relay is for rsync: HOST COMMAND ...");
  place.host = user + words[at];
  const SshHost host(place);  // refuses what is not a name
  const std::string marker = "lapcast-" + new_id();
  Result<Pipe> output = open_pipe();
  if (!output) throw Error(ExitCode::system_failed, output.error().text);
  const Result<pid_t> ssh =
      spawn({.arguments = ssh_command(
                 place, {words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()}, marker),
             .streams = {kInheritedStream, output->write_end.get(), kInheritedStream}});
  if (!ssh) throw Error(ExitCode::system_failed, ssh.error().text + "; is ssh installed?");
  output->write_end.reset();
  const bool answered = pass_on(output->read_end.get(), marker, *ssh);
  if (!answered) kill(*ssh, SIGKILL);
  output->read_end.reset();
  const int status = wait_for(*ssh);
  if (!answered) std::fprintf(stderr, "lapcast: %s: %s\n", host.name().c_str(), kSilentHost);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace lapcast
