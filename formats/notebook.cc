#include "formats/notebook.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNoKey = "0000000000000000";  // in the template

}  // namespace

std::string notebook_text(std::string_view document) {
  Json values = Json::parse(document, nullptr, false);
  if (values.is_discarded())
    throw Error(ExitCode::bad_input, "the values of the notebook are not JSON");
  ContentHash hash;
  hash.add(document);
  Json notebook = Json::parse(notebook_template());
  for (Json& cell : notebook["cells"])
    for (Json& line : cell["source"]) {
      std::string text = line.get<std::string>();
      if (const std::size_t at = text.find(kNoKey); at != std::string::npos)
        line = text.replace(at, kNoKey.size(), hash.hex());
    }
  notebook["metadata"]["lapcast"] = {{"key", hash.hex()}, {"values", std::move(values)}};
  return escaped_controls(notebook.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace lapcast
