#include "serve/page_link.h"

#include <fmt/format.h>

#include <system_error>

#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/ssh.h"

namespace lapcast {

PageLink::PageLink(const std::string& address) {
  const std::string folder = socket_folder();  // is private
  if (folder.empty())
    throw Error(ExitCode::system_failed, "--open finds no private folder for its file");
  file_ = std::filesystem::path(folder) / fmt::format("serve-{}.html", new_id());
  const auto written = write_private_file(
      file_, fmt::format("<!doctype html>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"referrer\" content=\"no-referrer\">\n"
                         "<meta http-equiv=\"refresh\" content=\"0; url={0}\">\n"
                         "<title>lapcast</title>\n<a href=\"{0}\">Open the page of lapcast</a>\n",
                         address));
  if (!written) throw Error(ExitCode::system_failed, written.error().text);
}

PageLink::~PageLink() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

Result<void> PageLink::open() const {
  const auto started = spawn({.arguments = {"xdg-open", file_.string()},
                              .streams = {kNullStream, kNullStream, kNullStream},
                              .group = ProcessGroup::own_session});
  if (!started)
    return because(fmt::format("{}; open the printed address yourself", started.error().text));
  return {};
}

}  // namespace lapcast
