#include "report/run_document.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "report/packed_columns.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns a run of five laps: the first of 2 ms begins 10 ms after the start, a validation of 3 ms
/// follows the second.
Run five_laps() {
  lapcast::Run run;
  run.context.id = "3f0c8a91d2e4";
  run.context.program = {"./train"};
  run.context.machine.host = "vm-17";
  run.outcome = outcome::Ended{};
  run.started_ns = 1'000'000'000;
  run.ended_ns = 1'040'000'000;
  run.lap_logs = {
      "lapcast-laps 1\n"
      "0 hello clock=1000000000 wall=1790000000.0 pid=1 rank=0 world=1 host=vm-17 emitter=lap.h/1\n"
      "1000 plan epochs=1 iterations=5 batch=8 train=40\n"
      "10000000 epoch-begin 1\n"
      "12000000 i 8\n14000000 i 8\n"
      "14000000 validation-begin\n17000000 validation-end 4\n"
      "17000000 load 10000000 cpus=2 run=9000000\n"
      "19000000 i 8\n21000000 q 8\n23000000 i 8\n"
      "23000000 metric loss 0.5\n23000000 epoch-end 1\n24000000 bye\n"};
  return run;
}

Json document() {
  return run_document(five_laps(), assess(five_laps()),
                      Redaction(Detail::usual, "", {{"vm-17", "this machine"}}));
}

TEST(RunDocument, LapsCountFromTheEndOfTheLapBefore) {
  const Json laps = document()["laps"];
  EXPECT_EQ(laps["count"], 5);
  const auto is = [&](const char* name, const std::vector<std::int64_t>& values) {
    EXPECT_EQ(laps["columns"][name], packed(values)) << name;
  };
  is("gap_ns", {10'000'000, 0, 3'000'000, 0, 0});
  is("time_ns", {2'000'000, 2'000'000, 2'000'000, 2'000'000, 2'000'000});
  is("samples", {8, 8, 8, 8, 8});
  is("queued", {0, 0, 0, 1, 0});
}

TEST(RunDocument, WhatWasReportedIsMarked) {
  const Json made = document();
  const auto mark = [&](const char* kind) {
    for (const Json& each : made["marks"])
      if (each["kind"] == kind) return each;
    return Json();
  };
  EXPECT_EQ(mark("validation")["begin_s"], 0.014);
  EXPECT_EQ(mark("validation")["end_s"], 0.017);
  EXPECT_EQ(mark("epoch")["text"], "epoch 1");
  EXPECT_EQ(made["metrics"][0]["name"], "loss");
  EXPECT_EQ(made["metrics"][0]["value"], 0.5);
  EXPECT_EQ(made["phases"], Json::array({"-"}));
}

TEST(RunDocument, OnlyKnownFiguresOfALoadAreColumns) {
  const Json made = document();
  EXPECT_EQ(made["load"]["count"], 1);
  EXPECT_TRUE(made["load"]["columns"].contains("run_ns"));
  EXPECT_FALSE(made["load"]["columns"].contains("mhz"));
}

TEST(RunDocument, EverySampleOfAGpuIsThere) {
  EXPECT_FALSE(document().contains("gpu_load"));
  lapcast::Run run = five_laps();
  run.lap_logs.push_back(
      "lapcast-laps 1\n0 hello clock=1000000000 pid=2 host=vm-17\n"
      "10000000 load 10000000 gpu-mw=120000\n10000000 gpu 0 busy=0 memory=7 of=9\n"
      "20000000 load 10000000 gpu-mw=690000\n20000000 gpu 0 busy=97\n");
  const Json gpus = run_document(run, assess(run), Redaction(Detail::usual, "", {}))["gpu_load"];
  const auto is = [&](const char* name, const std::vector<std::int64_t>& values) {
    EXPECT_EQ(gpus["columns"][name], packed(values)) << name;
  };
  is("at_ns", {10'000'000, 10'000'000});
  is("gpu", {0, 0});
  is("busy_percent", {0, 97});
  is("memory_bytes", {7, -1});
  is("memory_total_bytes", {9, -1});
}

TEST(RunDocument, TheHostHasTheUsersName) {
  EXPECT_EQ(document()["run"]["host"], "this machine");
}

TEST(RunDocument, ARunWithoutLapsHasNone) {
  auto run = five_laps();
  run.outcome = outcome::NotStarted{"no such program"};
  run.lap_logs.clear();
  const Json made = run_document(run, assess(run), Redaction(Detail::usual, "", {}));
  EXPECT_FALSE(made.contains("laps"));
  EXPECT_EQ(made["run"]["outcome"], "not-started");
}

}  // namespace
}  // namespace lapcast
