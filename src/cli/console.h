#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace lapcast {

/// Takes the numbers of those of stdin, stdout and stderr that are closed, so that no file that is
/// opened later gets one of them. Reading from and writing to such a stream fails.
void reserve_standard_streams();

/// Writes bytes to stderr as they are. What cannot be written (closed, full) is dropped: it never
/// changes how a command ends.
void write_to_stderr(std::string_view text);

/// Prints "lapcast: TEXT" as one line on stderr, by write_to_stderr().
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_to_stderr("lapcast: " + fmt::format(format, std::forward<Args>(args)...) + "\n");
}

/// Writes text to stdout and calls finish_stdout().
void write_to_stdout(std::string_view text);

/// Writes what std::cout still holds. Throws Error (system) when not all of it could be written.
void finish_stdout();

}  // namespace lapcast
