#include "report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace lapcast {
namespace {

TEST(Page, NothingInItsDataIsMarkup) {
  EXPECT_EQ(safe_in_html(R"({"a": "</script><!-- <b>"})"),
            R"({"a": "\u003c/script>\u003c!-- \u003cb>"})");
  EXPECT_EQ(safe_in_html("\"\xE2\x80\xA8 \xE2\x80\xA9 \xE2\x82\xAC\xE2\""),
            "\"\\u2028 \\u2029 \xE2\x82\xAC\xE2\"");
  EXPECT_EQ(safe_in_html("\"a\xE2\x80\xAE"
                         "b\xD8\x9C\xD8\xA7\""),
            "\"a\\u202eb\\u061c\xD8\xA7\"");
  EXPECT_EQ(safe_in_html(""), "");
}

TEST(Page, EscapedDataIsTheSameData) {
  const nlohmann::json data{{"text", "<\xE2\x80\xA8</ScRiPt>\""}};
  EXPECT_EQ(nlohmann::json::parse(safe_in_html(data.dump())), data);
}

TEST(Page, EachPlaceholderIsFilledOnce) {
  // A text that looks like a placeholder stays as it is.
  const std::string page = report_page(R"({"title": "{{scripts}}"})");
  EXPECT_NE(
      page.find(R"(<script type="application/json" id="data">{"title": "{{scripts}}"}</script>)"),
      page.npos);
  for (const char* name : {"{{style}}", "{{plotly}}", "{{data}}"})
    EXPECT_EQ(page.find(name), page.npos) << name;
}

TEST(Page, ItsPolicyAllowsNoAddress) {
  const std::string page = report_page("{}");
  const std::size_t begin = page.find("content=\"default-src 'none'");
  ASSERT_NE(begin, page.npos);
  const std::string policy = page.substr(begin, page.find('>', begin) - begin);
  EXPECT_EQ(policy.find("http"), policy.npos);
  EXPECT_EQ(policy.find('*'), policy.npos);
}

TEST(Page, NoScriptOfThePageEndsItsElement) {
  for (const std::string_view text : {web_scripts(), web_style()}) {
    EXPECT_EQ(text.find("</script"), text.npos);
    EXPECT_EQ(text.find("</style"), text.npos);
    EXPECT_EQ(text.find("<!--"), text.npos);
  }
}

TEST(Page, PlotlyTravelsWithItsLicence) {
  EXPECT_EQ(plotly_deflated().empty(), plotly_licence().empty());
  if (!plotly_licence().empty()) {
    EXPECT_NE(plotly_licence().find("MIT"), plotly_licence().npos);
  }
}

}  // namespace
}  // namespace lapcast
