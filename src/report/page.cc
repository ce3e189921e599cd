#include "report/page.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

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
  constexpr std::string_view kSeparator = "\xE2\x80";  // of lines \xA8, of paragraphs \xA9
  std::string result;
  result.reserve(json.size() + json.size() / 64);
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t next = std::min(json.find_first_of("<\xE2", at), json.size());
    result += json.substr(at, next - at);
    at = next;
    if (at == json.size()) break;
    const char last = at + 2 < json.size() ? json[at + 2] : ' ';
    const bool separates =
        json.substr(at).starts_with(kSeparator) && (last == '\xA8' || last == '\xA9');
    if (json[at] == '<')
      result += "\\u003c";
    else if (separates)
      result += last == '\xA8' ? "\\u2028" : "\\u2029";
    else
      result += json[at];
    at += separates ? 3 : 1;
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
