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

/// Returns what the first cell prints when it is run: the title and the answer, in plain text.
std::string verdict_of(const Json& values) {
  std::string text = values.value("title", "") + "\n";
  for (const Json& line : values.value("answer", Json::array()))
    text += line.get<std::string>() + "\n";
  return text;
}

/// Returns the output of a cell that printed a text. Readers of notebooks show it as it is, never
/// as markup.
Json printed(const std::string& text) {
  return {{"output_type", "stream"}, {"name", "stdout"}, {"text", Json::array({text})}};
}

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
      const std::size_t at = text.find(kNoKey);
      if (at == std::string::npos) continue;
      line = text.replace(at, kNoKey.size(), hash.hex());
      cell["outputs"] = Json::array();  // clang takes braces for the value itself
      cell["outputs"].push_back(printed(verdict_of(values)));
    }
  notebook["metadata"]["lapcast"] = {{"key", hash.hex()}, {"values", std::move(values)}};
  return escaped_controls(notebook.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace lapcast
