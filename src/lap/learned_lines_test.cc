#include "lap/learned_lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(LineTemplate, KeepsWholeNumbersAndMarksTheOthers) {
  const LineTemplate line =
      line_template("2023/05/24 20:17:46,5 Epoch(train)  [1][  50/1051]  lr: 9.05e-03 v1.2.3 3e-4");
  EXPECT_EQ(line.text, "~~Epoch(train)[#][#/#]lr:~v~~");
  EXPECT_EQ(line.numbers, (std::vector<std::int64_t>{1, 50, 1051}));
}

/// Returns the lines of two epochs of 40 steps, one for every ten; form has {epoch} and {step}.
std::vector<std::string> two_epochs(const char* form) {
  std::vector<std::string> lines{"loading 3 files", "model has 1200 parameters"};
  for (int epoch = 1; epoch <= 2; ++epoch)
    for (int step = 10; step <= 40; step += 10)
      lines.push_back(fmt::format(fmt::runtime(form), fmt::arg("epoch", epoch),
                                  fmt::arg("step", step), fmt::arg("loss", 1.0 / step)));
  return lines;
}

TEST(LearnedLines, FindTheCounterByWhatItDoes) {
  for (const char* form :
       {"Epoch(train)  [{epoch}][{step:4}/40]  loss: {loss:.4f}",
        "| epoch {epoch:03}: {step:6} / 40 loss={loss:.3f}, oom=0",
        "INFO train ({step} of 40), pass {epoch}, cost {loss:.5f}",
        "[{epoch}/2] {step:>5}/40 | lr 3e-4 | {loss:.5f}",
        "trainer.py:202 - epoch: {epoch}/2, iter: {step}/40, mem: 46.8Gb, size: 640"}) {
    const auto learned = LearnedLines::of(two_epochs(form));
    ASSERT_TRUE(learned) << form;
    EXPECT_EQ(learned->lines(), 8u) << form;
    const std::string line = fmt::format(fmt::runtime(form), fmt::arg("epoch", 3),
                                         fmt::arg("step", 20), fmt::arg("loss", 0.25));
    const auto counters = learned->match(line);
    ASSERT_TRUE(counters) << form;
    EXPECT_EQ(counters->step, 20) << form;
    EXPECT_EQ(counters->steps, 40) << form;
    EXPECT_EQ(counters->epoch, 3) << form;
  }
}

TEST(LearnedLines, FindEpochsAndTheirNumber) {
  const auto learned =
      LearnedLines::of(two_epochs("epoch: {epoch}/2, iter: {step}/40, loss {loss:.3f}"));
  ASSERT_TRUE(learned);
  const auto counters = learned->match("epoch: 2/2, iter: 30/40, loss 0.100");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->epoch, 2);
  EXPECT_EQ(counters->epochs, 2);
}

TEST(LearnedLines, WordsTellAValidation) {
  std::vector<std::string> lines = two_epochs("Iter(train) [{step:3}/40] loss: {loss:.4f}");
  auto learned = LearnedLines::of(lines);
  ASSERT_TRUE(learned);
  const auto late = learned->match("Iter(val) [ 5/25]  eta: 0:00:00  time: 0.04");
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->is_validation);
  EXPECT_EQ(late->step, 5);
  EXPECT_EQ(late->steps, 25);
  for (int step = 5; step <= 25; step += 5)
    lines.push_back(fmt::format("Iter(val) [{:2}/25]  eta: 0:00:00  time: 0.04", step));
  learned = LearnedLines::of(lines);
  EXPECT_TRUE(learned->match("Iter(val) [10/25]  eta: 0:00:00  time: 0.04")->is_validation);
  EXPECT_EQ(learned->lines(), 8u);
}

TEST(LearnedLines, FindACounterWithoutATotal) {
  for (const char* form :
       {"[{step}]\ttrain-auc:{loss:.5f}\ttrain-ams@0.15:{loss:.5f}",
        "I1127 04:21:20.422932 1398 logging_writer.py:48] [{step}] accuracy={loss:.6f}, loss=1.5",
        "{step}  loss {loss:.4f}  lr 3e-4"}) {
    std::vector<std::string> lines{"[04:56:20] WARNING: /src/learner.cc:782: not used"};
    for (int step = 0; step < 16; step += 2)
      lines.push_back(
          fmt::format(fmt::runtime(form), fmt::arg("step", step), fmt::arg("loss", 2.5)));
    const auto learned = LearnedLines::of(lines);
    ASSERT_TRUE(learned) << form;
    EXPECT_EQ(learned->lines(), 8u) << form;
    const auto counters = learned->match(lines.back());
    ASSERT_TRUE(counters) << form;
    EXPECT_EQ(counters->step, 14) << form;
    EXPECT_FALSE(counters->steps) << form;
    EXPECT_FALSE(learned->match(lines.front())) << form;
    lines.back() = fmt::format(fmt::runtime(form), fmt::arg("step", 15), fmt::arg("loss", 2.5));
    EXPECT_FALSE(LearnedLines::of(lines)) << form;  // it does not grow by as much in every line
  }
}

/// Returns the lines of a table whose rows are `row` with {step}, {epoch} and {loss}.
std::vector<std::string> table(const std::vector<std::string>& head, const char* row,
                               const std::vector<int>& steps) {
  std::vector<std::string> lines = head;
  for (const int step : steps)
    lines.push_back(fmt::format(fmt::runtime(row), fmt::arg("step", step),
                                fmt::arg("epoch", 1 + step / 600), fmt::arg("loss", 2.5)));
  return lines;
}

TEST(LearnedLines, FindTheColumnOfStepsInATable) {
  const std::vector<int> steps{0, 200, 400, 600, 800, 1000, 1200};
  const std::vector<std::string> spacy{"\u2139 Pipeline: ['tok2vec', 'ner']",
                                       "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  SCORE ",
                                       "---  ------  ------------  --------  ------  ------"};
  const std::vector<std::string> matlab{
      "|======================================================|",
      "|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Base Learning  |",
      "|         |             |   (hh:mm:ss)   |     Loss     |      Rate       |"};
  const auto learned = LearnedLines::of(
      table(spacy, "  {epoch}  {step:6}          0.00  {loss:8.2f}    0.00    0.00", steps));
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->lines(), 7u);
  EXPECT_EQ(learned->match("  3    1400          0.01     48.17    0.00    0.00")->step, 1400);
  EXPECT_FALSE(learned->match("saved 3 models"));
  // MATLAB prints the first iteration and then each fiftieth.
  const auto by_bars =
      LearnedLines::of(table(matlab, "|  {epoch} |  {step} |   00:00:01 |  {loss:.4f} |  0.0100 |",
                             {1, 50, 100, 150, 200, 250, 300, 350, 400}));
  ASSERT_TRUE(by_bars);
  EXPECT_EQ(by_bars->match("|  2 |  450 |   00:00:09 |  2.4000 |  0.0100 |")->step, 450);
}

TEST(LearnedLines, RowsOfATableWithoutStepsAreEpochs) {
  const std::vector<std::string> skorch{"  epoch    train_loss    valid_acc     dur",
                                        "-------  ------------  -----------  ------"};
  const char* const row = "      {step}        {loss:.4f}       0.6150  0.0433";
  const auto learned = LearnedLines::of(table(skorch, row, {1, 2, 3, 4}));
  ASSERT_TRUE(learned);
  EXPECT_TRUE(learned->counts_epochs_alone());
  const auto counters = learned->match("      5        0.6018       0.7250  0.0201");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->epoch, 5);
  EXPECT_FALSE(counters->step);
  EXPECT_FALSE(LearnedLines::of(table(skorch, row, {1, 2, 3})));           // too few
  EXPECT_FALSE(LearnedLines::of(table(skorch, row, {5, 10, 15, 20})));     // not each of them
  EXPECT_FALSE(LearnedLines::of(table(skorch, row, {1, 2, 1, 2, 3, 4})));  // several of them
}

TEST(LearnedLines, TablesOfOtherThingsAreNone) {
  const std::vector<int> rows{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_FALSE(LearnedLines::of(
      table({"seconds   accuracy   free   used"}, "  {step}   {loss:.2f}   300   18", rows)));
  EXPECT_FALSE(LearnedLines::of(
      table({"  r   b   swpd   free   in   us"}, "  {step}   0   0   {loss:.2f}   17   3", rows)));
  // Without the names of columns, numbers are numbers.
  EXPECT_FALSE(LearnedLines::of(table({}, "  {step}  {loss:.4f}  0.61  0.04", rows)));
  EXPECT_FALSE(LearnedLines::of(
      table({"  step   loss   accuracy   more"}, "  {step}  {loss:.4f}  0.61", rows)));
}

TEST(LearnedLines, OtherCountersAreNone) {
  for (const char* form :
       {"Downloading shard {step}/40 ({loss:.2f} MB/s) of batch {epoch}",
        "[{step}/40] Building object {epoch}", "GET /item/{step}/40 200 {loss:.3f} page {epoch}",
        "copied {step}/40 files", "Updating files: {epoch}% ({step}/40)",
        "Step {step}/40 : RUN make -j{epoch}", "train: disk {step} GB, epoch {epoch}"})
    EXPECT_FALSE(LearnedLines::of(two_epochs(form))) << form;
  EXPECT_FALSE(LearnedLines::of({}));
  EXPECT_FALSE(LearnedLines::of({"step 1/9", "step 2/9", "step 3/9"}));
  // Its number jumps about.
  EXPECT_FALSE(
      LearnedLines::of({"loss 3/99", "loss 50/99", "loss 51/99", "loss 7/99", "loss 90/99"}));
}

}  // namespace
}  // namespace lapcast
