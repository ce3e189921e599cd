#include "formats/notebook.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"

namespace lapcast {
namespace {

using nlohmann::json;

std::string sources_of(const json& notebook) {
  std::string sources;
  for (const json& cell : notebook["cells"])
    for (const json& line : cell["source"]) sources += line.get<std::string>();
  return sources;
}

TEST(Notebook, HoldsTheValuesAsData) {
  const json notebook = json::parse(notebook_text(R"({"title": "a \"b\" </script> $x$", "n": 1})"));
  EXPECT_EQ(notebook["nbformat"], 4);
  EXPECT_EQ(notebook["metadata"]["lapcast"]["values"]["title"], "a \"b\" </script> $x$");
  EXPECT_EQ(notebook["metadata"]["lapcast"]["values"]["n"], 1);
}

TEST(Notebook, NothingButAKeyOfHexDigitsGetsIntoTheCells) {
  const json a = json::parse(notebook_text(R"({"title": "'); import os #"})"));
  const json b = json::parse(notebook_text(R"({"title": "other"})"));
  std::string sources = sources_of(a);
  const std::string key = a["metadata"]["lapcast"]["key"];
  EXPECT_EQ(key.size(), 16U);
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
  const std::size_t at = sources.find("KEY = \"" + key + "\"");
  ASSERT_NE(at, std::string::npos);
  sources.replace(at + 7, key.size(), std::string(b["metadata"]["lapcast"]["key"]));
  EXPECT_EQ(sources, sources_of(b));
}

TEST(Notebook, TheVerdictIsTheOutputOfTheFirstCodeCell) {
  const json notebook =
      json::parse(notebook_text(R"({"title": "t <b>", "answer": ["CHEAPEST  small", "FASTEST"]})"));
  const json& cell = notebook["cells"][1];
  ASSERT_EQ(cell["cell_type"], "code");
  const json output{{"output_type", "stream"},
                    {"name", "stdout"},
                    {"text", {"t <b>\nCHEAPEST  small\nFASTEST\n"}}};
  EXPECT_EQ(cell["outputs"], json::array({output}));
  EXPECT_EQ(cell["metadata"]["jupyter"]["source_hidden"], true);
}

TEST(Notebook, RefusesWhatIsNoJson) {
  EXPECT_THROW(notebook_text("{"), Error);
}

}  // namespace
}  // namespace lapcast
