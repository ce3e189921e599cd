#include "run/secrets.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(Secrets, NamesOfSecretsAreKnownInEveryWayToWriteThem) {
  for (const char* name : {"--api-key",
                           "API_KEY",
                           "apiKey",
                           "--apikey",
                           "HF_TOKEN",
                           "--hf-token",
                           "dbPassword",
                           "PGPASSWORD",
                           "--passwd",
                           "pwd",
                           "AWS_SECRET_ACCESS_KEY",
                           "aws_access_key_id",
                           "--client-secret",
                           "auth",
                           "--private-key",
                           "AZURE_STORAGE_CONNECTION_STRING",
                           "SENTRY_DSN",
                           "--cookie",
                           "session_key",
                           "GOOGLE_CREDENTIALS",
                           "token2",
                           "--token",
                           "wandb.api_key"})
    EXPECT_TRUE(is_secret_name(name)) << name;
}

TEST(Secrets, NamesThatOnlyLookSimilarAreNot) {
  for (const char* name :
       {"--tokenizer", "--max-tokens", "--num_tokens", "--token-dim", "--author", "keyframes",
        "--pad-token", "eos_token", "--key", "--primary-key", "--secretary", "--session-length",
        "--batch", "", "---", "--authors", "--monkey", "--string", "--password-length"})
    EXPECT_FALSE(is_secret_name(name)) << name;
}

TEST(Secrets, ArgumentsAreMaskedInBothForms) {
  EXPECT_EQ(
      masked_program({"train", "--api-key=abc", "--lr", "0.1", "--hf-token", "xyz", "--password"}),
      (std::vector<std::string>{"train", "--api-key=***", "--lr", "0.1", "--hf-token", "***",
                                "--password"}));
  EXPECT_EQ(masked_program({"env", "TOKEN=a b", "--auth", "-v", "--token="}),
            (std::vector<std::string>{"env", "TOKEN=***", "--auth", "-v", "--token="}));
  EXPECT_EQ(masked_program({"sh", "-c", "export TOKEN='a b'; run --api-key k9 -x"}),
            (std::vector<std::string>{"sh", "-c", "export TOKEN=***; run --api-key *** -x"}));
}

TEST(Secrets, TextsAndAddressesAreMasked) {
  EXPECT_EQ(masked_text("pull https://me:pw@host/x?a=1"), "pull https://me:***@host/x?a=1");
  EXPECT_EQ(masked_text("x --url=ftp://u:p@h/d"), "x --url=ftp://u:***@h/d");
  EXPECT_EQ(masked_text("no option --api-key=abc; see"), "no option --api-key=***; see");
  EXPECT_EQ(masked_text("Authorization: Bearer abc.def"), "Authorization: Bearer ***");
  EXPECT_EQ(masked_text("mask a b  c\n\ttoken\n"), "mask a b  c\n\ttoken\n");
  EXPECT_EQ(masked_text("token='open"), "token=***");
  EXPECT_EQ(masked_text("http://host:80/@x"), "http://host:80/@x");
}

TEST(Secrets, OfARunAreMaskedWhereverTheyAreRepeated) {
  lapcast::Run run;
  run.context.program = {"train", "--api-key={key}", "--n", "{n}"};
  run.context.settings = {{"key", "long-secret"}, {"n", "3"}};
  run.context.machine_type.environment = {
      {"HF_TOKEN", "hf_12345678"}, {"OMP_NUM_THREADS", "1"}, {"PASSWORD", "short"}};
  run.standard_output = "using hf_12345678 and long-secret, in short\n";
  run.outcome = outcome::NoLaps{"hf_12345678 was refused"};
  const lapcast::Run shown = masked(run);
  EXPECT_EQ(shown.context.program,
            (std::vector<std::string>{"train", "--api-key=***", "--n", "{n}"}));
  EXPECT_EQ(shown.context.machine_type.environment.at("HF_TOKEN"), "***");
  EXPECT_EQ(shown.context.machine_type.environment.at("OMP_NUM_THREADS"), "1");
  EXPECT_EQ(shown.standard_output, "using *** and ***, in short\n");
  EXPECT_EQ(describe(shown.outcome), "no laps: *** was refused");
  EXPECT_EQ(shown_program(run.context), "train --api-key=*** --n 3");
  EXPECT_TRUE(lacks_secrets(shown.context));
  EXPECT_FALSE(lacks_secrets(run.context));
  EXPECT_EQ(masked(shown), shown);
}

TEST(ShownOutcome, OfAFailedRunEndsWithTheLastLineOfItsStderrWithoutSecrets) {
  lapcast::Run run;
  run.context.machine_type.environment = {{"HF_TOKEN", "hf_12345678"}};
  run.outcome = outcome::Crashed{2, 0};
  EXPECT_EQ(shown_outcome(run), "failed with exit status 2");
  run.standard_error = "loading\nno GPU \x1b[31mfor hf_12345678, --api-key=abc\n\n";
  EXPECT_EQ(shown_outcome(run), "failed with exit status 2: no GPU ?for ***, --api-key=***");
  run.outcome = outcome::Ended{};
  EXPECT_EQ(shown_outcome(run), describe(run.outcome));
}

}  // namespace
}  // namespace lapcast
