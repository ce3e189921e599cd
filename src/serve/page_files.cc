#include "serve/page_files.h"

#include <string>

#include "probe/run_folder.h"

namespace lapcast {

PageFiles page_files() {
  std::string page(serve_html());
  for (const char* name : {"{{style}}", "{{plotly}}"}) page = with_placeholder(page, name, "");
  return {page, std::string(live_script())};
}

}  // namespace lapcast
