#include "pages/page_document.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/page.h"
#include "table/table.h"

namespace lapcast {

std::string page_document(const std::string& title, const std::string& key,
                          nlohmann::ordered_json part, Detail detail, const PageOrigin& origin) {
  using Json = nlohmann::ordered_json;
  Json made{{"at", origin.made_at}, {"lapcast", origin.version}, {"command", origin.command}};
  const Redaction redaction(detail, origin.home, {});
  redaction.apply(part, key);
  redaction.apply(made, "made");
  Json document{{"schema", kJsonSchema},   {"kind", "report"},        {"title", title},
                {"made", std::move(made)}, {key, std::move(part)},    {"machines", Json::array()},
                {"prices", Json::array()}, {"method", Json::array()}, {"runs", Json::array()}};
  if (!plotly_licence().empty())
    document["licences"] = Json::array(
        {Json{{"name", "Plotly's JavaScript (MIT)"}, {"text", std::string(plotly_licence())}}});
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lapcast
