#include "serve/page_link.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "core/error.h"
#include "posix/files.h"
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

}  // namespace lapcast
