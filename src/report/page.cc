#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/display_width.h"
#include "run/text_bytes.h"

namespace lapcast {
std::string filled_template(std::string_view page,
                            const std::map<std::string_view, std::string>& values) {
  std::string result;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t open = std::min(page.find("{{", at), page.size());
    result += page.substr(at, open - at);
    const std::size_t close = page.find("}}", open);
    if (close == page.npos) return result.append(page.substr(open));
    const auto value = values.find(page.substr(open + 2, close - open - 2));
    result += value == values.end() ? page.substr(open, close + 2 - open) : value->second;
    at = close + 2;
  }
  return result;
}

std::string plotly_base64() {
  return to_base64(plotly_deflated());
}

std::string safe_in_html(std::string_view json) {
  std::string result;
  result.reserve(json.size() + json.size() / 64);
  while (!json.empty()) {
    // Characters that need an escape begin with these bytes.
    const std::size_t next = std::min(json.find_first_of("<\xD8\xE2"), json.size());
    result += json.substr(0, next);
    json.remove_prefix(next);
    if (json.empty()) break;
    const CodePoint c = decode_utf8(json);
    const std::size_t used = std::max<std::size_t>(c.length, 1);
    const bool separates = c.value == 0x2028 || c.value == 0x2029;  // lines, paragraphs
    if (c.length > 0 && (c.value == '<' || separates || reorders_text(c.value)))
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.value));
    else
      result += json.substr(0, used);
    json.remove_prefix(used);
  }
  return result;
}

std::string report_page(std::string_view document) {
  return filled_template(web_page(), {{"style", std::string(web_style())},
                                      {"plotly", plotly_base64()},
                                      {"data", safe_in_html(document)},
                                      {"scripts", std::string(web_scripts())}});
}

}  // namespace lapcast
