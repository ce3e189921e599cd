#include "commands/offload/job_display.h"

#include <unistd.h>

#include <string>

#include "cli/console.h"
#include "cli/watch_view.h"
#include "core/units.h"

namespace lapcast {

void JobDisplay::show(const OffloadState& state) {
  const std::string text = state.progress && state.note.empty()
                               ? watch_line(*state.progress, job_.request.context.price)
                               : state_text(state);
  if (knows_escapes(STDERR_FILENO))
    line_.show(printable(text, terminal_width()));
  else if (state.progress && plain_lines_.is_due(state.progress->elapsed) && !quiet_)
    say("{}", printable(text, 1000));
}

}  // namespace lapcast
