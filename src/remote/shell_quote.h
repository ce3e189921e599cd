#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Returns a word that every login shell reads back as exactly these bytes: sh, bash, dash, ksh,
/// zsh, fish and csh. Apart from NUL, which no argument can hold (Error, usage), every byte is
/// allowed; csh alone refuses a command with a line break in it, and runs nothing then. The only
/// way in which text reaches a shell in lapcast.
std::string shell_quote(std::string_view text);

/// Returns the arguments as one command line: shell_quote() of each, with blanks between them.
std::string shell_command(const std::vector<std::string>& arguments);

}  // namespace lapcast
