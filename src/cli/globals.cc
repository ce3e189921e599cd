#include "cli/globals.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "cli/console.h"

namespace lapcast {

std::filesystem::path Globals::store_path() const {
  return store_file.empty() ? default_store_file() : std::filesystem::path(store_file);
}

namespace {

TextStyle look_of_stdout() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return {.colour = std::getenv("NO_COLOR") == nullptr,
          .width = known ? std::size_t{size.ws_col} : 0};
}

}  // namespace

void print(const Globals& globals, const std::vector<Table>& tables) {
  write(tables, globals.chosen_format(), look_of_stdout(), std::cout);
  finish_stdout();
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
