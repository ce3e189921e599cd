#pragma once

#include <string_view>

#include "serve/server.h"

namespace lapcast {

/// Returns the page and its scripts, from the files below web/.
PageFiles page_files();

/// The files that the binary carries.
std::string_view serve_html();
std::string_view live_script();

}  // namespace lapcast
