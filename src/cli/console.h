#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "run/run.h"

namespace lapcast {

/// Occupies the file descriptors of those of stdin, stdout and stderr that are closed, so that no
/// file opened later gets one of them. Reading from and writing to such a stream fails.
void reserve_standard_streams();

/// Writes bytes to stderr as they are. What cannot be written (closed, full) is dropped, so that it
/// never changes how a command ends.
void write_to_stderr(std::string_view text);

/// Returns whether the stream (STDOUT_FILENO ...) is a terminal that knows escape sequences. One
/// with TERM=dumb does not.
bool knows_escapes(int stream);

/// Prints a printable() line on stderr, by write_to_stderr(); on a terminal it is broken between
/// words.
void write_line_to_stderr(const std::string& text, bool is_bold = false);

/// Prints "lapcast: TEXT" by write_line_to_stderr().
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_line_to_stderr("lapcast: " + fmt::format(format, std::forward<Args>(args)...));
}

/// Prints the answer of a command as say() does, in bold on a terminal that has colours.
void say_answer(const std::string& text, bool plain);

/// Prints each line as a warning on stderr.
void warn(const std::vector<std::string>& lines);

/// Says on stderr that the work was interrupted and that the same command continues it, without
/// --again if `again` is set. Returns the exit code for it.
ExitCode tell_interrupted(bool again);

/// Writes text to stdout and calls finish_stdout().
void write_to_stdout(std::string_view text);

/// Flushes std::cout. Throws Error (system) if not all of it could be written.
void finish_stdout();

}  // namespace lapcast
