#include "remote/ssh.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "posix/private_files.h"
#include "remote/patience.h"
#include "remote/shell_quote.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

// A socket's name has at most 107 bytes; ssh adds 40 digits, and 17 while it makes it.
constexpr std::size_t kLongestFolder = 107 - 17 - 40 - 1;

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

// The first text that occurs in what ssh printed counts.
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

std::vector<std::string> ssh_arguments() {
  std::vector<std::string> arguments{"ssh", "-T", "-a", "-x"};
  if (const char* config = std::getenv("LAPCAST_SSH_CONFIG"); config != nullptr && *config != '\0')
    arguments.insert(arguments.end(), {"-F", config});
  const auto option = [&](std::string text) {
    arguments.insert(arguments.end(), {"-o", std::move(text)});
  };
  for (const char* text :
       {"BatchMode=yes", "NumberOfPasswordPrompts=0", "StrictHostKeyChecking=yes",
        "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        "RemoteCommand=none", "RequestTTY=no", "EscapeChar=none", "LogLevel=ERROR",
        "ServerAliveInterval=5", "ServerAliveCountMax=3"})
    option(text);
  // ContactWatch notices silence; these options are for what it cannot see.
  option(fmt::format("ConnectTimeout={:.0f}", std::ceil(longest_contact().count())));
  const std::string folder = socket_folder();
  option(folder.empty() ? "ControlPath=none" : "ControlPath=" + folder + "/%C");
  if (!folder.empty()) {
    option("ControlMaster=auto");
    option("ControlPersist=30");
  }
  return arguments;
}

std::vector<std::string> ssh_command(const std::string& host,
                                     const std::vector<std::string>& arguments,
                                     const std::string& marker) {
  std::vector<std::string> ssh = ssh_arguments();
  ssh.push_back(host);
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

}  // namespace lapcast
