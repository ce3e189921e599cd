#include "cli/page_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <system_error>

#include "cli/console.h"
#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "remote/ssh.h"
#include "report/page.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

[[noreturn]] void refuse_to_write(const std::filesystem::path& file, const std::string& why) {
  throw Error(ExitCode::system_failed,
              fmt::format("cannot write {}: {}", printable(file.string()), why));
}

/// Returns the absolute path of the file to write. Follows a link, so that its target is replaced
/// and not the link.
std::filesystem::path place_of(const std::string& file) {
  std::error_code error;
  auto place = std::filesystem::absolute(file, error);
  if (!error) place = std::filesystem::weakly_canonical(place, error);
  if (error) refuse_to_write(file, error.message());
  return place;
}

/// Throws Error when the file, an absolute path, cannot be written, before anything is computed.
void check_output(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path folder = file.parent_path();
  const auto refuse = [&](const std::string& why) { refuse_to_write(file, why); };
  if (std::filesystem::is_directory(file, ignored)) refuse("it is a folder; name a file in it");
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    refuse("it is not a file");
  if (!std::filesystem::is_directory(folder, ignored)) refuse("there is no such folder");
  if (const auto why = why_not_writable(folder)) refuse(*why);
}

}  // namespace

std::string typed_line(const Globals& globals) {
  std::string line = "lapcast";
  for (const std::string& word : masked_program(globals.words)) line += " " + shell_quote(word);
  if (globals.program.empty()) return line;
  return line + " -- " + shell_command(masked_program(globals.program));
}

std::filesystem::path checked_output(const std::string& name, Links links) {
  if (std::error_code ignored; std::filesystem::is_symlink(name, ignored)) {
    if (links == Links::none) refuse_to_write(name, "it is a link; name a file");
    if (!is_own_path(name, S_IFLNK, Forbidden::nothing))
      refuse_to_write(name, "it is a link of another user; name a file");
  }
  const std::filesystem::path file = place_of(name);
  check_output(file);
  return file;
}

void write_output(const std::filesystem::path& file, const std::string& text) {
  if (const auto written = write_private_file(file, text); !written)
    throw Error(ExitCode::system_failed, written.error().text);
}

void say_if_plain(const Globals& globals) {
  if (plotly_licence().empty() && !globals.quiet)
    say("this lapcast was built without Plotly: the charts of the page are plain SVG");
}

}  // namespace lapcast
