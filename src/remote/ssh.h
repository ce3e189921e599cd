#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/place.h"

namespace lapcast {

/// Returns ssh with the options that every connection of lapcast has: it never asks, never accepts
/// an unknown host key, forwards nothing, notices a dead link within 20 s and shares one connection
/// per host. Apart from that, the config of the place applies, else the user's own.
std::vector<std::string> ssh_arguments(const SshPlace& place);

/// Returns the arguments of an ssh that prints the marker on a line of its own and then runs the
/// command on a host, with every argument as it is. Output before the marker is the login's.
std::vector<std::string> ssh_command(const SshPlace& place,
                                     const std::vector<std::string>& arguments,
                                     const std::string& marker);

/// Returns a folder of mode 0700 with a name short enough for sockets, below $XDG_RUNTIME_DIR, else
/// /tmp. Returns "" when there is none, or when it belongs to another user.
std::string socket_folder();

/// Holds what ssh-relay prints about a host that was silent for too long at a first contact.
inline constexpr const char* kSilentHost = "the first contact timed out";

/// Returns the message about a host that was silent for too long at a first contact.
std::string does_not_answer(const std::string& host);

/// Says what ssh's stderr means for a connection that failed.
struct SshTrouble {
  std::string text;     // one line with the fix; names the host
  bool passes = false;  // trying again later may help
};
/// Returns why ssh failed to reach `host`, from what it printed on stderr.
SshTrouble explain_ssh(const std::string& host, const std::string& standard_error);

/// Returns a word that every login shell reads back as exactly these bytes: sh, bash, dash, ksh,
/// zsh, fish and csh. Apart from NUL, which no argument can hold (Error, usage), every byte is
/// allowed; csh alone refuses a command with a line break in it, and runs nothing then. All text
/// that lapcast gives to a shell passes through this function.
std::string shell_quote(std::string_view text);

/// Returns the arguments as one command line: shell_quote() of each, with blanks between them.
std::string shell_command(const std::vector<std::string>& arguments);

/// Holds a command with what it reads from stdin first.
struct FedCommand {
  std::vector<std::string> command;
  std::string input;
};
/// Returns a command that runs a script of sh with the arguments as $1 and so on. It reads both
/// from stdin, so that neither is on a command line, which everybody on the machine can read. The
/// script reads from stdin what follows them; if the input ends early, it does not run at all.
FedCommand fed_script(const std::string& script, const std::vector<std::string>& arguments);

/// Returns the words behind `ssh-relay` that make relay_ssh() reach this place as SshHost does.
std::vector<std::string> relay_words(const SshPlace& place);

/// Acts as the remote shell of rsync: takes the words of relay_words(), then, as ssh does,
/// `[-l USER] HOST COMMAND ...`. Passes every argument as it is, and drops what the login prints
/// before the command, which rsync would take for its own protocol. Returns the exit status, 255
/// when ssh itself failed.
int relay_ssh(const std::vector<std::string>& words);

}  // namespace lapcast
