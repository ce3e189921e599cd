#include "cli/job_display.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "core/units.h"

namespace lapcast {

void JobDisplay::show(const OffloadState& state) {
  const std::string text = state.progress && state.note.empty()
                               ? watch_line(*state.progress, job_.request.context.price)
                               : state_text(state);
  if (isatty(STDERR_FILENO) != 0)
    line_.show(printable(text, terminal_width()));
  else if (state.progress && plain_.is_due(state.progress->elapsed) && !quiet_)
    say("{}", printable(text, 1000));
}

CLI::App* add_job_command(CLI::App& app, const char* name, const char* help, const char* footer,
                          std::string& id) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("ID", id, "of the training, its beginning, or \"last\"")->required();
  command->footer(footer);
  return command;
}

}  // namespace lapcast
