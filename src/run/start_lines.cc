#include "run/start_lines.h"

#include <fmt/format.h>

#include <string>

namespace lapcast {

std::vector<std::string_view> start_lines_of(const Run& run, std::string_view event,
                                             std::size_t most) {
  std::vector<std::string_view> lines;
  const std::string begin = fmt::format("\n0 {} ", event);
  for (const std::string_view log : run.lap_logs)
    for (std::size_t at = log.find(begin); at != log.npos && lines.size() < most;
         at = log.find(begin, at + 1)) {
      const std::string_view rest = log.substr(at + begin.size());
      lines.push_back(rest.substr(0, rest.find('\n')));
    }
  return lines;
}

}  // namespace lapcast
