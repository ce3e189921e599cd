#include "serve/page_files.h"

#include <string>

#include "report/page.h"

namespace lapcast {

PageFiles page_files() {
  return {filled_template(serve_html(),
                          {{"style", std::string(web_style())}, {"plotly", plotly_base64()}}),
          std::string(web_scripts())};
}

}  // namespace lapcast
