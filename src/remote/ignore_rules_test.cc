#include "remote/program_files.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

IgnoreRules rules(const char* text) {
  IgnoreRules rules;
  EXPECT_TRUE(rules.add(text));
  return rules;
}

TEST(IgnoreRules, ANameIsIgnoredAtEveryDepth) {
  const IgnoreRules ignored = rules("*.log\n# *.py\n\nnotes  \r\n");
  EXPECT_TRUE(ignored.ignores("a.log", false));
  EXPECT_TRUE(ignored.ignores("deep/down/a.log", false));
  EXPECT_TRUE(ignored.ignores("notes", false));
  EXPECT_FALSE(ignored.ignores("a.logs", false));
  EXPECT_FALSE(ignored.ignores("train.py", false));
}

TEST(IgnoreRules, ASlashTiesToTheTopAndAtTheEndToFolders) {
  const IgnoreRules ignored = rules("/data\nruns/\na/b/*.bin\n");
  EXPECT_TRUE(ignored.ignores("data", true));
  EXPECT_FALSE(ignored.ignores("lib/data", true));
  EXPECT_TRUE(ignored.ignores("runs", true));
  EXPECT_TRUE(ignored.ignores("old/runs", true));
  EXPECT_FALSE(ignored.ignores("runs", false));
  EXPECT_TRUE(ignored.ignores("a/b/x.bin", false));
  EXPECT_FALSE(ignored.ignores("a/b/c/x.bin", false));
}

TEST(IgnoreRules, TwoStarsAreAnyNumberOfFolders) {
  const IgnoreRules ignored = rules("a/**/x\n**/y/z\nlast/**\n");
  EXPECT_TRUE(ignored.ignores("a/x", false));
  EXPECT_TRUE(ignored.ignores("a/b/c/x", false));
  EXPECT_FALSE(ignored.ignores("b/a/x", false));
  EXPECT_TRUE(ignored.ignores("y/z", false));
  EXPECT_TRUE(ignored.ignores("q/y/z", false));
  EXPECT_TRUE(ignored.ignores("last/of/all", false));
}

TEST(IgnoreRules, ManyTimesTwoStarsTakeNoLongerThanTheirLength) {
  std::string rule, path;
  for (int i = 0; i < 40; ++i) rule += "**/a/";
  for (int i = 0; i < 400; ++i) path += "a/";
  const IgnoreRules ignored = rules((rule + "b\n").c_str());
  EXPECT_FALSE(ignored.ignores(path + "c", false));
  EXPECT_TRUE(ignored.ignores(path + "b", false));
  EXPECT_FALSE(ignored.ignores("a/b", false));
}

TEST(IgnoreRules, TheLastOneThatFitsCounts) {
  const IgnoreRules ignored = rules("*.bin\n!small.bin\n");
  EXPECT_TRUE(ignored.ignores("big.bin", false));
  EXPECT_FALSE(ignored.ignores("small.bin", false));
}

TEST(IgnoreRules, SecretsAndVersionControlStayHomeUnlessAskedFor) {
  IgnoreRules ignored = IgnoreRules::defaults();
  for (const char* name : {".env", ".env.local", "id_rsa", "id_ed25519.pub", "server.pem", "a.key",
                           ".netrc", "credentials.json"})
    EXPECT_TRUE(ignored.ignores(std::string("conf/") + name, false)) << name;
  for (const char* name : {".git", ".ssh", ".aws", "__pycache__", "lapcast-3fb0c81e22a9",
                           "lapcast-3fb0c81e22a9-node-1"})
    EXPECT_TRUE(ignored.ignores(name, true)) << name;
  for (const char* name : {"lapcast-notes", "lapcast-3fb0", "lapcast-3fb0c81e22a9-old"})
    EXPECT_FALSE(ignored.ignores(name, true)) << name;
  for (const char* name : {"train.py", "environment.yml", "keys.py", ".gitignore"})
    EXPECT_FALSE(ignored.ignores(name, false)) << name;
  EXPECT_TRUE(ignored.add("!.env\n"));
  EXPECT_FALSE(ignored.ignores(".env", false));
}

TEST(IgnoreRules, TokensLoginsAndHistoriesAreSecrets) {
  const IgnoreRules secrets = IgnoreRules::secrets();
  for (const char* path : {".npmrc",
                           ".pypirc",
                           ".huggingface",
                           ".config/gcloud",
                           "home/.config/gcloud",
                           ".config/gh",
                           "kaggle.json",
                           ".kaggle",
                           ".bash_history",
                           ".zsh_history",
                           ".python_history",
                           ".histfile",
                           ".cache/huggingface/token",
                           ".docker",
                           "service-account.json",
                           "service_account-prod.json",
                           "my-service-account.json",
                           "google-credentials.json",
                           "client_secret_1.json",
                           "secrets.toml",
                           ".modal.toml",
                           "x.ppk",
                           "terraform.tfstate"})
    EXPECT_EQ(secrets.why_ignored(path, true), Ignored::as_secret) << path;
  for (const char* path :
       {"history.csv", "training_history", "config/gcloud.py", "token", "huggingface.py",
        "secrets.py", "credentials.py", "tokenizer.json", ".config", ".git", "__pycache__"})
    EXPECT_EQ(secrets.why_ignored(path, true), Ignored::no) << path;
  EXPECT_EQ(IgnoreRules::defaults().why_ignored(".git", true), Ignored::by_default);
}

TEST(IgnoreRules, OnlyItsExceptionsCountInDataSets) {
  IgnoreRules rules = IgnoreRules::secrets();
  EXPECT_TRUE(rules.add_exceptions("*.bin\n!*.key\n"));
  EXPECT_EQ(rules.why_ignored("x.bin", false), Ignored::no);
  EXPECT_EQ(rules.why_ignored("x.key", false), Ignored::no);
  EXPECT_EQ(rules.why_ignored("x.pem", false), Ignored::as_secret);
}

TEST(IgnoreRules, AByteOrderMarkIsNoPartOfTheFirstRule) {
  EXPECT_TRUE(rules("\xef\xbb\xbf*.log\n").ignores("a.log", false));
}

}  // namespace
}  // namespace lapcast
