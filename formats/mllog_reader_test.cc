#include "formats/mllog_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Writes a log of ":::MLLOG" lines; times in seconds after 1'600'000'000.
class Mllog {
 public:
  Mllog& at(double seconds, std::string_view key, std::string_view value = "null",
            std::string_view metadata = "") {
    text += fmt::format(R"({}:::MLLOG {{"namespace": "", "time_ms": {}, "key": "{}", "value": {}, )"
                        R"("metadata": {{"lineno": 1{}{}}}}})"
                        "\n",
                        prefix, 1'600'000'000'000 + static_cast<std::int64_t>(seconds * 1000), key,
                        value, metadata.empty() ? "" : ", ", metadata);
    return *this;
  }
  Mllog& epoch(int number, double begin, double end) {
    const std::string which = fmt::format(R"("epoch_num": {})", number);
    return at(begin, "epoch_start", "null", which).at(end, "epoch_stop", "null", which);
  }
  Mllog& evaluation(int epoch, double begin, double end, double accuracy) {
    const std::string which = fmt::format(R"("epoch_num": {})", epoch);
    return at(begin, "eval_start", "null", which)
        .at(end, "eval_stop", "null", which)
        .at(end, "eval_accuracy", fmt::format("{}", accuracy), which);
  }
  Mllog& start(double init = 0, double run = 10) {
    return at(init, "init_start").at(run, "run_start");
  }
  Mllog& stop(double at_s, std::string_view status = "success") {
    return at(at_s, "run_stop", "null", fmt::format(R"("status": "{}")", status));
  }

  std::string text;
  std::string prefix;
};

/// Three epochs of 20 s of 1000 samples with evaluations of 2 s after the first and the third.
Mllog three_epochs() {
  Mllog log;
  log.at(0, "submission_benchmark", R"("resnet")").at(0, "submission_platform", R"("2xBox")");
  log.at(0, "submission_org", R"("Ann")").at(1, "global_batch_size", "100");
  log.start().at(10, "train_samples", "1000").at(10, "eval_samples", "50");
  log.epoch(1, 11, 31).evaluation(1, 31, 33, 0.5);
  log.epoch(2, 33, 53).epoch(3, 53, 73).evaluation(3, 73, 75, 0.75).stop(76);
  return log;
}

ImportedLog import(std::string_view text, std::size_t piece = std::string::npos) {
  MllogReader reader;
  for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size() - at)) {
    reader.feed(text.substr(at, piece));
  }
  return reader.finish("a.log");
}

Run only_run(const Mllog& log) {
  ImportedLog imported = import(log.text);
  EXPECT_EQ(imported.runs.size(), 1U);
  return imported.runs.empty() ? Run{} : imported.runs.front();
}

TEST(MllogReader, EpochsBecomeLaps) {
  const auto run = only_run(three_epochs());
  EXPECT_EQ(run.outcome, Outcome{outcome::Ended{}});
  EXPECT_EQ(run.context.kind, RunKind::full);
  EXPECT_EQ(run.context.machine_type.name, "2xBox");
  EXPECT_THAT(run.context.program, ElementsAre("mllog", "resnet"));
  EXPECT_EQ(run.context.settings.at("batch"), "100");
  EXPECT_EQ(run.context.started_at, "2020-09-13T12:26:40Z");
  EXPECT_EQ(run.wall(), Seconds{76});
  EXPECT_EQ(why_not_kept(run), std::nullopt);
  EXPECT_THAT(run.warnings, ElementsAre("laps and epochs are the log's epochs"));

  const LapLog log = *laps_of(run);
  EXPECT_EQ(log.damage, std::nullopt);
  ASSERT_EQ(log.laps.size(), 3U);
  EXPECT_EQ(log.laps[0].begin_ns, 11'000'000'000);
  EXPECT_EQ(log.laps[2].seconds(), Seconds{20});
  EXPECT_EQ(log.laps[2].samples, 1000);
  ASSERT_EQ(log.validations.size(), 2U);
  EXPECT_EQ(log.validations[1].span.seconds(), Seconds{2});
  EXPECT_EQ(log.validations[1].samples, 50);
  ASSERT_EQ(log.metrics.size(), 2U);
  EXPECT_EQ(log.metrics[1].name, "val_accuracy");
  EXPECT_EQ(log.metrics[1].value, 0.75);
  EXPECT_EQ(log.plan->epochs, 3);
}

// init 11; 3 laps of 20; 2 validations of 2; tear-down 1.
TEST(MllogReader, ItsForecastIsItsOwnTime) {
  const LapProfile profile = profile_of(only_run(three_epochs())).value();
  EXPECT_EQ(profile.init, Seconds{11});
  EXPECT_EQ(profile.steady.mean.mid, Seconds{20});
  EXPECT_DOUBLE_EQ(profile.teardown.mid.count(), 1);
  EXPECT_EQ(profile.real_total, Seconds{76});
}

TEST(MllogReader, AnyPiecesGiveTheSame) {
  const std::string text = three_epochs().text;
  const auto whole = import(text).runs.at(0);
  for (const std::size_t piece : {1U, 7U, 64U, 1000U}) {
    EXPECT_EQ(import(text, piece).runs.at(0), whole) << piece;
  }
  EXPECT_EQ(import(text.substr(0, text.size() - 1)).runs.at(0), whole);  // no last line end
}

TEST(MllogReader, RanksThatRepeatAreDroppedAndCounted) {
  const Mllog one = three_epochs();
  Mllog both;
  for (std::size_t at = 0; at < one.text.size();) {
    const std::size_t end = one.text.find('\n', at) + 1;
    both.text += "0: " + one.text.substr(at, end - at) + "[1] " + one.text.substr(at, end - at);
    at = end;
  }
  const auto run = only_run(both);
  EXPECT_EQ(run.lap_logs, only_run(one).lap_logs);
  EXPECT_EQ(run.context.id, only_run(one).context.id);
  EXPECT_THAT(run.warnings, Contains("15 events repeated by other ranks were left out"));
}

/// Three blocks, of 10, 2 and 2 minutes, that say the samples and the steps at their begin and end.
Mllog counted_blocks(const char* at_begin, const char* at_end) {
  Mllog log;
  log.at(1, "global_batch_size", "8").start();
  constexpr double kTimes[] = {10, 610, 730, 850};
  constexpr int kSteps[] = {0, 50, 60, 70};
  for (int i = 0; i < 3; ++i) {
    const auto text = [&](const char* form, int at) {
      const int samples[] = {8 * (kSteps[i + 1] - kSteps[i]), 8 * kSteps[at]};
      return fmt::format(fmt::runtime(form), samples[0], samples[1], kSteps[at]);
    };
    log.at(kTimes[i], "block_start", "null", text(at_begin, i));
    log.at(kTimes[i + 1], "block_stop", "null", text(at_end, i + 1));
  }
  return log.stop(850);
}

TEST(MllogReader, BlocksMaySayTheirSamplesInThreeWays) {
  for (const char* form :
       {R"("samples_count": {0})", R"("samples_count": {1})", R"("step": {2})"}) {
    const LapLog log = *laps_of(only_run(counted_blocks(form, form)));
    ASSERT_EQ(log.laps.size(), 3U) << form;
    EXPECT_EQ(log.laps[0].samples, 400) << form;
    EXPECT_EQ(log.laps[2].samples, 80) << form;
    EXPECT_EQ(log.plan->epochs, 7) << form;  // units of 80
    EXPECT_EQ(log.plan->training_samples, 80) << form;
  }
}

// The evaluation of epoch 2 runs beside epoch 3, reaches the target, and ends the run.
TEST(MllogReader, AnEpochThatTheTargetCutOffIsNone) {
  Mllog log;
  log.start().at(10, "train_samples", "1000").epoch(1, 11, 31).epoch(2, 31, 51);
  log.at(51, "eval_start", "null", R"("epoch_num": 2)")
      .at(52, "epoch_start", "null", R"("epoch_num": 3)");
  log.at(54, "eval_stop", "null", R"("epoch_num": 2)")
      .at(54, "eval_accuracy", "0.8", R"("epoch_num": 2)");
  log.stop(55).at(55, "epoch_stop", "null", R"("epoch_num": 3)");
  const auto run = only_run(log);
  EXPECT_EQ(laps_of(run)->laps.size(), 2U);
  EXPECT_EQ(laps_of(run)->plan->epochs, 2);
}

TEST(MllogReader, BlocksWhereThereAreNoEpochs) {
  Mllog log;
  log.start().at(10, "train_samples", "1000");
  for (int block = 0; block < 3; ++block) {
    const std::string which = fmt::format(R"("first_epoch_num": {}, "epoch_count": 4)", 4 * block);
    log.at(10 + 40 * block, "block_start", "null", which);
    log.at(50 + 40 * block, "block_stop", "null", which);
  }
  const auto run = only_run(log.stop(131));
  EXPECT_THAT(run.warnings, Contains("laps and epochs are the log's blocks of 4000 samples"));
  const LapLog laps = *laps_of(run);
  ASSERT_EQ(laps.laps.size(), 3U);
  EXPECT_EQ(laps.laps[1].seconds(), Seconds{40});
  EXPECT_EQ(laps.laps[1].samples, 4000);
}

// The second block tells that the first had one epoch, not four: evaluations after 1, 5, 9 ...
TEST(MllogReader, BlocksOfEpochsTellWhenEvaluationsCome) {
  Mllog log;
  log.start().at(10, "train_samples", "1000");
  log.at(10, "block_start", "null", R"("first_epoch_num": 1, "epoch_count": 4)").epoch(1, 10, 20);
  log.at(20, "block_start", "null", R"("first_epoch_num": 2, "epoch_count": 4)").epoch(2, 20, 30);
  const auto plan = laps_of(only_run(log.stop(31)))->plan;
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->validate_from, 1);
  EXPECT_EQ(plan->validate_every, 4);
}

TEST(MllogReader, StretchesBetweenEvaluationsWhereThatIsAll) {
  Mllog log;
  log.start().at(10, "train_samples", "1000").at(10, "epoch_start", "null", R"("epoch_num": 1)");
  for (int i = 1; i <= 4; ++i) {
    const std::string which = fmt::format(R"("epoch_num": {})", 1 + 0.25 * i);
    log.at(10 * i + 8, "eval_start", "null", which).at(10 * i + 10, "eval_stop", "null", which);
  }
  const auto run = only_run(log.stop(51));
  const LapLog laps = *laps_of(run);
  ASSERT_EQ(laps.laps.size(), 4U);
  EXPECT_EQ(laps.laps[3].seconds(), Seconds{8});
  EXPECT_EQ(laps.laps[3].samples, 250);
  EXPECT_EQ(laps.validations.size(), 4U);
}

// As some logs do: every result has the same number, and nothing says when evaluating began.
TEST(MllogReader, ResultsOfOneNumberAreNoRepetition) {
  Mllog log;
  log.start().at(10, "epoch_start", "null", R"("epoch_num": 1)");
  for (int i = 1; i <= 4; ++i) {
    log.at(10 + 10 * i, "eval_accuracy", fmt::format("0.{}", i), R"("epoch_num": 1)");
  }
  EXPECT_EQ(laps_of(only_run(log.stop(51)))->laps.size(), 4U);
}

TEST(MllogReader, AnEvaluationAtTheEndOfABlockIsNotPartOfItsLap) {
  Mllog log;
  log.start();
  for (int i = 0; i < 3; ++i) {
    const std::string which = fmt::format(R"("first_epoch_num": {})", i);
    log.at(10 + 40 * i, "block_start", "null", which);
    log.evaluation(i, 40 + 40 * i, 50 + 40 * i, 0.5);
    log.at(50 + 40 * i, "block_stop", "null", which);
  }
  const LapLog laps = *laps_of(only_run(log.stop(131)));
  ASSERT_EQ(laps.laps.size(), 3U);
  EXPECT_DOUBLE_EQ(laps.laps[2].seconds().count(), 30);
  EXPECT_EQ(laps.validations.size(), 3U);
}

TEST(MllogReader, AnEvaluationBesideTheTrainingIsOnlyAResult) {
  Mllog log = three_epochs();
  log.text.clear();
  log.start()
      .epoch(1, 11, 31)
      .evaluation(1, 32, 45, 0.5)
      .epoch(2, 33, 53)
      .epoch(3, 53, 73)
      .stop(74);
  const auto run = only_run(log);
  EXPECT_THAT(run.warnings, Contains(HasSubstr("runs beside the training")));
  const LapLog laps = *laps_of(run);
  EXPECT_EQ(laps.laps.size(), 3U);
  EXPECT_THAT(laps.validations, IsEmpty());
  EXPECT_EQ(laps.metrics.size(), 1U);
}

// Logs that lie ----------------------------------------------------------------------------------

TEST(MllogReader, WithoutAStopItIsNoWholeTraining) {
  Mllog log = three_epochs();
  log.text.resize(log.text.find("\"run_stop\""));
  const ImportedLog imported = import(log.text);
  ASSERT_EQ(imported.runs.size(), 1U);
  const auto& run = imported.runs[0];
  EXPECT_EQ(run.context.kind, RunKind::probe);
  EXPECT_TRUE(std::holds_alternative<outcome::BudgetSpent>(run.outcome));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("no run_stop")));
  EXPECT_EQ(run.wall(), Seconds{75});
}

TEST(MllogReader, EvaluationsThatMayStillComeAreInThePlan) {
  Mllog log = Mllog().start().at(10, "train_samples", "1000").at(10, "eval_samples", "50");
  log.epoch(1, 10, 30).epoch(2, 30, 50);
  Mllog ended = log;
  EXPECT_EQ(laps_of(only_run(log))->plan->validation_samples, 50);
  EXPECT_EQ(laps_of(only_run(ended.stop(51)))->plan->validation_samples, 0);
}

TEST(MllogReader, AStopThatFailedIsSaid) {
  const auto run = only_run(Mllog().start().epoch(1, 11, 31).stop(32, "aborted"));
  EXPECT_THAT(run.warnings, Contains("the log says that the run ended with: aborted"));
  EXPECT_EQ(run.outcome, Outcome{outcome::Ended{}});
}

TEST(MllogReader, TwoRunsInOneFileAreTwo) {
  Mllog log = three_epochs();
  log.start(100, 110).epoch(1, 111, 121).epoch(2, 121, 131).stop(132);
  const ImportedLog imported = import(log.text);
  ASSERT_EQ(imported.runs.size(), 2U);
  EXPECT_NE(imported.runs[0].context.id, imported.runs[1].context.id);
  EXPECT_EQ(imported.runs[0].wall(), Seconds{76});
  EXPECT_EQ(imported.runs[1].wall(), Seconds{32});
}

TEST(MllogReader, ARunThatIsStartedAgainWithoutAStopIsAnother) {
  Mllog log = Mllog().start().epoch(1, 11, 31).epoch(2, 31, 51);
  log.start(100, 110).epoch(1, 111, 131).stop(132);
  const ImportedLog imported = import(log.text);
  ASSERT_EQ(imported.runs.size(), 2U);
  EXPECT_THAT(imported.runs[0].warnings, Contains(HasSubstr("no run_stop")));
}

TEST(MllogReader, AClockThatJumpsBackCostsWhatItTouches) {
  Mllog log = Mllog().start().epoch(1, 11, 31).epoch(2, 31, 21).epoch(3, 22, 42).epoch(4, 42, 62);
  const auto run = only_run(log.stop(63));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("line 6: ends 10.0 s before it begins in line 5")));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("line 7: begins 9.00 s before")));
  const LapLog laps = *laps_of(run);
  ASSERT_EQ(laps.laps.size(), 3U);  // 1 ends where 3 begins
  EXPECT_EQ(laps.laps[0].seconds(), Seconds{11});
  EXPECT_EQ(laps.laps[1].seconds(), Seconds{20});
  EXPECT_EQ(laps.damage, std::nullopt);
}

std::vector<double> seconds_of_laps(const LapLog& log) {
  std::vector<double> seconds;
  for (const Lap& lap : log.laps) seconds.push_back(lap.seconds().count());
  return seconds;
}

// Each block begins 5 s before the one before it ends.
TEST(MllogReader, OfTwoThatOverlapTheEarlierEndsWhereTheLaterBegins) {
  const auto run =
      only_run(Mllog().start().epoch(1, 10, 35).epoch(2, 30, 55).epoch(3, 50, 75).stop(76));
  EXPECT_THAT(seconds_of_laps(*laps_of(run)), testing::ElementsAre(20, 20, 25));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("begins 5.00 s before")));
}

TEST(MllogTimes, OneThatBeginsAgainUnderItsNumberEndsThere) {
  MllogDraft draft;
  for (const std::int64_t at : {10, 30, 50, 70}) {
    MllogEvent& event = draft.events.emplace_back();
    event.key = at == 70 ? MllogKey::block_stop : MllogKey::block_start;
    event.time_ns = at;
    event.epoch = 1;
  }
  std::vector<std::int64_t> ends;
  for (const TimedUnit& unit : times_of(draft, MllogUnit::block).units) ends.push_back(unit.end_ns);
  EXPECT_THAT(ends, testing::ElementsAre(30, 50, 70));
}

TEST(MllogReader, OneWithoutAnEndLastsUntilTheNext) {
  Mllog log = Mllog().start().epoch(1, 10, 30);
  log.at(30, "epoch_start", "null", R"("epoch_num": 2)").epoch(3, 50, 70);
  EXPECT_THAT(seconds_of_laps(*laps_of(only_run(log.stop(71)))), testing::ElementsAre(20, 20, 20));
}

// Blocks of 1 s time something, and the training is the 9 s after each.
TEST(MllogReader, WhereMoreLiesBetweenThemUnitsLastUntilTheNext) {
  const auto run =
      only_run(Mllog().start().epoch(1, 10, 11).epoch(2, 20, 21).epoch(3, 30, 31).stop(40));
  EXPECT_THAT(seconds_of_laps(*laps_of(run)), testing::ElementsAre(10, 10, 10));
}

TEST(MllogReader, WithoutEndsTheLastEpochEndsWithItsEvaluation) {
  Mllog log = Mllog().start();
  log.at(10, "epoch_start", "null", R"("epoch_num": 1)").evaluation(1, 30, 33, 0.5);
  log.at(33, "epoch_start", "null", R"("epoch_num": 2)").evaluation(2, 53, 56, 0.6);
  EXPECT_THAT(seconds_of_laps(*laps_of(only_run(log.stop(56)))), testing::ElementsAre(20, 20));
}

/// Three epochs without ends; an evaluation of 6 s begins in the midst of the second, which begins
/// at 30 and lasts so long.
LapLog evaluated_in_the_midst(double second) {
  Mllog log = Mllog().start().at(10, "train_samples", "1000");
  log.at(10, "epoch_start", "null", R"("epoch_num": 1)");
  log.at(30, "epoch_start", "null", R"("epoch_num": 2)").evaluation(2, 36, 42, 0.5);
  log.at(30 + second, "epoch_start", "null", R"("epoch_num": 3)");
  return *laps_of(only_run(log.stop(50 + second)));
}

TEST(MllogReader, WithoutEndsAnEpochThatTookNoLongerWasEvaluatedBeside) {
  const LapLog log = evaluated_in_the_midst(20);
  EXPECT_THAT(seconds_of_laps(log), testing::ElementsAre(20, 20, 20));
  EXPECT_THAT(log.validations, IsEmpty());
}

TEST(MllogReader, WithoutEndsAnEpochThatTookLongerWaited) {
  const LapLog log = evaluated_in_the_midst(26);
  EXPECT_THAT(seconds_of_laps(log), testing::ElementsAre(20, 20, 20));
  ASSERT_EQ(log.validations.size(), 1U);
  EXPECT_EQ(log.validations[0].span.seconds(), Seconds{6});
}

TEST(MllogReader, EpochsOutOfOrderAreSaid) {
  const auto run = only_run(Mllog().start().epoch(2, 11, 31).epoch(1, 31, 51).stop(52));
  EXPECT_THAT(run.warnings, Contains("line 5: epoch 1 comes after epoch 2"));
  EXPECT_EQ(laps_of(run)->laps.size(), 2U);
}

TEST(MllogReader, BrokenLinesAreCountedAndTheRestIsUsed) {
  Mllog log = three_epochs();
  log.text.insert(0, ":::MLLOG {\"time_ms\": 1600000000000, \"key\": \"run_start\", \n");
  log.text.insert(0, "\xe4\xf6\xfc latin-1 and other bytes\n");
  const ImportedLog imported = import(log.text);
  EXPECT_EQ(imported.runs.size(), 1U);
  EXPECT_THAT(imported.problems,
              ElementsAre("line 2: a line of an MLPerf log that cannot be read"));
}

TEST(MllogReader, AnEndlessLineIsNotKept) {
  MllogReader reader;
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 100; ++i) reader.feed(piece);
  reader.feed("\n" + three_epochs().text);
  const ImportedLog imported = reader.finish("a.log");
  EXPECT_EQ(imported.runs.size(), 1U);
  EXPECT_THAT(imported.problems, ElementsAre(HasSubstr("line 1:")));
}

TEST(MllogReader, WhatTimesNothingHasAReason) {
  EXPECT_THAT(import("hello\n").problems, ElementsAre(HasSubstr("no line of an MLPerf log")));
  EXPECT_THAT(import("").problems, ElementsAre(HasSubstr("no line of an MLPerf log")));
  const auto run = only_run(Mllog().start().stop(20));
  EXPECT_TRUE(std::holds_alternative<outcome::NoLaps>(run.outcome));
  EXPECT_EQ(run.wall(), Seconds{20});
}

// Found by fuzzing: it began in 1970.
TEST(MllogReader, ARunBeginsWithWhatIsLoggedFirst) {
  const auto run = only_run(Mllog().at(5, "epoch_stop", "null", R"("epoch_num": 1)").stop(20));
  EXPECT_NEAR(run.wall().count(), 15, 1e-6);
  EXPECT_EQ(laps_of(run)->damage, std::nullopt);
}

TEST(MllogReader, AnInitThatIsNoneIsLeftOut) {
  const auto run = only_run(Mllog().start(500'000, 10).epoch(1, 11, 31).stop(32));
  EXPECT_EQ(run.wall(), Seconds{22});
  EXPECT_THAT(run.warnings, Contains(HasSubstr("init_start is after run_start")));
}

TEST(MllogReader, TimesThatAreYearsAwayAreNone) {
  Mllog log = Mllog().start().epoch(1, 11, 31);
  const auto run = only_run(log.at(1e9, "epoch_start", "null", R"("epoch_num": 2)").stop(32));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("line 5: its time is years from")));
  EXPECT_EQ(run.wall(), Seconds{32});
  EXPECT_EQ(laps_of(run)->damage, std::nullopt);
}

TEST(MllogReader, MoreRunsThanAFileMayHave) {
  Mllog log;
  for (int i = 0; i < 1005; ++i) log.at(10 * i, "run_start").at(10 * i + 1, "run_stop");
  const ImportedLog imported = import(log.text);
  EXPECT_EQ(imported.runs.size(), MllogDrafts::kMostRuns);
  EXPECT_THAT(imported.problems, ElementsAre(HasSubstr("line 2001: more than 1000 runs")));
}

}  // namespace
}  // namespace lapcast
