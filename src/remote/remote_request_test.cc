#include "remote/remote_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

RemoteRequest full_request() {
  RemoteRequest request;
  RunContext& context = request.probe.context;
  context.id = "0123456789ab";
  context.program = {"train", "--name", "it's\n\"$(id)\"", std::string("\xff\x00", 2)};
  context.settings = {{"batch", "128"}};
  context.machine_type.environment = {{"A", "b c"}};
  context.started_at = "2026-11-22T06:00:00Z";
  request.probe.limits = {0.05,    0.07,          20,    Seconds{30.5}, Seconds{2},
                          1 << 20, Seconds{40.5}, 0.875, true,          WholeEpochs{3, true}};
  request.probe.keep_run_folder = true;
  request.probe.hook = false;
  request.probe.watch = WatchRequest{{Seconds{3600}, Money::parse("20.5"), false}};
  request.probe.round = Round{24, Seconds{1.5}};
  request.probe.resume = ResumePlan{{"--resume", "{checkpoint}"}, "*.pt"};
  request.probe.place_setup = {
      SlurmPlace{"login1", "gpu", "avx512", "gpu:a100:4", "me", 60, {"-c", "4"}},
      "rack 1",
      "~/lapcast",
      "AVX2",
      "pip install -r requirements.txt",
      {{"data/x", 100, DataSource::send}, {"/data/y", 0, DataSource::setup}}};
  request.probe.no_wait = true;
  request.work = "train-0123456789abcdef";
  request.content = "fedcba9876543210";
  request.preparation = {{"send program", Seconds{1.25}, 4096}};
  request.warnings = {"not sent: .env"};
  return request;
}

TEST(RemoteRequest, KeepsWhatARentedMachineNeeds) {
  RemoteRequest request = full_request();
  request.probe.save_every = Seconds{10};
  request.probe.place_setup.ordered =
      OrderedHardware{"L4", 1, 24LL << 30, 8, 32LL << 30, "12.8", 50LL << 30};
  for (const Place& place : {Place(SshPlace{"lapcast-12", "/state/config", "~/known"}),
                             Place(RentedPlace{"gcloud", "g2-standard-4", "pytorch"})}) {
    request.probe.place_setup.place = place;
    const auto back = remote_request_from_json(to_json_line(request));
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->probe.place_setup, request.probe.place_setup);
    EXPECT_EQ(back->probe.save_every, Seconds{10});
  }
}

TEST(RemoteRequest, AnSshHostIsWrittenAsBefore) {
  RemoteRequest request = full_request();
  request.probe.place_setup = {.place = SshPlace{"box"}};
  const std::string line = to_json_line(request);
  EXPECT_NE(line.find(R"("place":{"kind":"ssh","host":"box"})"), std::string::npos) << line;
  EXPECT_EQ(line.find("ordered"), std::string::npos);
  EXPECT_EQ(line.find("save_every"), std::string::npos);
}

TEST(RemoteRequest, ThereAndBackLosesNothing) {
  const RemoteRequest request = full_request();
  const std::string line = to_json_line(request);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = remote_request_from_json(line);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(to_json_line(*back), line);
  EXPECT_EQ(back->probe.context, request.probe.context);
  EXPECT_EQ(back->probe.place_setup, request.probe.place_setup);
  EXPECT_TRUE(back->probe.no_wait);
  EXPECT_EQ(back->probe.limits.budget, Seconds{30.5});
  EXPECT_EQ(back->probe.limits.epochs->count, 3);
  EXPECT_TRUE(back->probe.limits.epochs->within_budget);
  EXPECT_TRUE(back->probe.limits.to_the_end && back->probe.keep_run_folder && !back->probe.hook);
  EXPECT_EQ(back->probe.watch->limits.max_cost, Money::parse("20.5"));
  ASSERT_TRUE(back->probe.round && back->probe.resume);
  EXPECT_EQ(back->probe.round->laps, 24);
  EXPECT_EQ(back->probe.round->ran, Seconds{1.5});
  EXPECT_EQ(back->probe.resume->arguments, request.probe.resume->arguments);
  EXPECT_EQ(back->probe.resume->checkpoints, "*.pt");
  EXPECT_EQ(back->preparation, request.preparation);
  EXPECT_EQ(back->warnings, request.warnings);
  EXPECT_EQ(back->work + back->content, request.work + request.content);
}

TEST(RemoteRequest, MayAskAQueueForAllTheTimeItNeeds) {
  RemoteRequest request = full_request();
  request.probe.place_setup.place = SlurmPlace{.time_limit_ns = kNoTimeLimit};
  const auto back = remote_request_from_json(to_json_line(request));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->probe.place_setup.place, request.probe.place_setup.place);
}

TEST(RemoteRequest, WhatIsOfThisMachineStaysHere) {
  RemoteRequest request = full_request();
  request.probe.run_parent = "/tmp/secret-place";
  request.probe.store_file = "/home/me/secret.db";
  EXPECT_EQ(to_json_line(request).find("secret"), std::string::npos);
}

/// The line with one text in it replaced.
std::string with(const std::string& text, const std::string& other) {
  std::string line = to_json_line(full_request());
  const std::size_t at = line.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return line.replace(at, text.size(), other);
}

TEST(RemoteRequest, WhatIsWrongIsRefusedByItsName) {
  const auto refused = [](const std::string& line) {
    const auto request = remote_request_from_json(line);
    EXPECT_FALSE(request) << line;
    return request ? std::string() : request.error().text;
  };
  EXPECT_THAT(refused(""), HasSubstr("not JSON"));
  EXPECT_THAT(refused("[]"), HasSubstr("not an object"));
  EXPECT_THAT(refused("{}"), HasSubstr(".format"));
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("too deep"));
  EXPECT_THAT(refused(with("\"version\":1", "\"version\":2")), HasSubstr(".version"));
  EXPECT_THAT(refused(with("0.05", "-1")), HasSubstr(".limits.precision"));
  EXPECT_THAT(refused(with("0.07", "-0.1")), HasSubstr(".limits.device_precision"));
  EXPECT_THAT(refused(with("30.5", "1e99")), HasSubstr(".limits.budget_s"));
  EXPECT_THAT(refused(with("\"max_laps\":20", "\"max_laps\":-1")), HasSubstr(".limits.max_laps"));
  EXPECT_THAT(refused(with("\"count\":3", "\"count\":0")), HasSubstr(".limits.epochs.count"));
  EXPECT_THAT(refused(with("login1", "-oProxyCommand=id")), HasSubstr(".site.place.login"));
  EXPECT_THAT(refused(with("\"send\"", "\"beam\"")), HasSubstr(".site.data[0].source"));
  EXPECT_THAT(refused(with("train-0123456789abcdef", "../../etc")), HasSubstr(".work"));
  EXPECT_THAT(refused(with("\"id\":\"0123456789ab\"", "\"id\":\"../x\"")), HasSubstr(".run: id"));
}

TEST(RemoteRequest, MayAskForLapsWithoutEnd) {
  EXPECT_EQ(remote_request_from_json(with("0.05", "0"))->probe.limits.precision, kNoPrecision);
}

}  // namespace
}  // namespace lapcast
