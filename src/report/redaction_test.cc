#include "report/redaction.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

TEST(Redaction, HomeFoldersAreShort) {
  EXPECT_EQ(with_short_homes("/home/ann/train.py --data=/root/mnist", ""),
            "~/train.py --data=~/mnist");
  EXPECT_EQ(with_short_homes("/data/ann/x and /data/ann", "/data/ann"), "~/x and ~");
  EXPECT_EQ(with_short_homes("/Users/ann", ""), "~");
  EXPECT_EQ(with_short_homes("file:///home/ann/runs sqlite:////home/ann/x.db", ""),
            "file://~/runs sqlite:///~/x.db");
  EXPECT_EQ(with_short_homes("@/home/ann/cfg", ""), "@~/cfg");
}

TEST(Redaction, OnlyWholeFoldersAreHomes) {
  for (const char* text : {"/rooted/x", "/data/root/x", "a/root", "/data/annex", "/homely", ""})
    EXPECT_EQ(with_short_homes(text, "/data/ann"), text);
}

TEST(Redaction, OfAPathItsLastPartStays) {
  EXPECT_EQ(without_folders("cannot open /srv/secret/train.csv: gone"),
            "cannot open .../train.csv: gone");
  EXPECT_EQ(without_folders("--data=~/x/y ./run"), "--data=.../y .../run");
  EXPECT_EQ(without_folders("3 samples/s, 1/2"), "3 samples/s, 1/2");
}

Json changed(Detail detail, Json value) {
  Redaction(detail, "/home/ann", {{"vm-17", "gpu-box"}}).apply(value);
  return value;
}

const Json kRun{{"program", "/home/ann/bin/train --key 7"},
                {"host", "vm-17"},
                {"settings", {{"data", "/srv/x/mnist"}, {"host", "acme/a b"}, {"batch", 64}}},
                {"notes", Json::array({Json{{"text", "vm-17 is slow; vm-170 is not"}}})}};

TEST(Redaction, UsuallyHostsHaveTheNamesOfTheUser) {
  const Json run = changed(Detail::usual, kRun);
  EXPECT_EQ(run["program"], "~/bin/train --key 7");
  EXPECT_EQ(run["host"], "gpu-box");
  EXPECT_EQ(run["settings"], kRun["settings"]);
  EXPECT_EQ(run["notes"][0]["text"], "gpu-box is slow; vm-170 is not");
}

TEST(Redaction, RedactedRunsHaveNoArgumentsAndFolders) {
  const Json run = changed(Detail::redacted, kRun);
  EXPECT_EQ(run["program"], "train ...");
  EXPECT_EQ(run["settings"]["data"], ".../mnist");
  EXPECT_EQ(run["settings"]["host"], ".../a b");
  EXPECT_EQ(run["settings"]["batch"], 64);
  EXPECT_EQ(changed(Detail::redacted, {{"program", "./train"}})["program"], "train");
}

TEST(Redaction, FullRunsStayAsTheyAre) {
  EXPECT_EQ(changed(Detail::full, kRun), kRun);
}

TEST(Redaction, VeryLongTextsAreCutBetweenCharacters) {
  std::string text(3999, 'a');
  const Json cut = changed(Detail::full, {{"x", text + "\xC3\xA9" + text}});
  EXPECT_EQ(cut["x"], text + " ...");
}

}  // namespace
}  // namespace lapcast
