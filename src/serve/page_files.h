#pragma once

#include <string_view>

#include "serve/server.h"

namespace lapcast {

/// Returns web/serve.html, which the binary carries.
std::string_view serve_html();

/// Returns the page and its scripts, from the files below web/.
PageFiles page_files();

}  // namespace lapcast
