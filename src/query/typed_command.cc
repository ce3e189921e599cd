#include "query/typed_command.h"

#include <cstddef>

#include "core/units.h"
#include "remote/ssh.h"

namespace lapcast {

std::string typed_command(std::string_view command, const RunContext& context) {
  constexpr std::size_t kMostBytes = 4000;  // of a word, and of the line
  std::string line(command);
  for (const std::string& word : filled_program(context)) {
    line += " " + shell_quote(printable(word, kMostBytes));
    if (line.size() > kMostBytes) return line + " ...";
  }
  return line;
}

}  // namespace lapcast
