#include "cli/globals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace lapcast {

std::filesystem::path Globals::store_path() const {
  return store_file.empty() ? default_store_file() : std::filesystem::path(store_file);
}

void print(const Globals& globals, const std::vector<Table>& tables) {
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  write(tables, globals.chosen_format(), colour, std::cout);
  std::cout.flush();
  if (!std::cout)
    throw Error(ExitCode::system_failed, "cannot write the result to stdout (disk full?)");
}

const std::vector<std::string>& program_of(const Globals& globals, const std::string& command) {
  if (globals.program.empty())
    throw Error(ExitCode::usage,
                fmt::format("no program given; write it behind --, such as: lapcast {} -- "
                            "./train --batch 128",
                            command));
  return globals.program;
}

}  // namespace lapcast
