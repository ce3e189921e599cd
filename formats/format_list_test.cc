#include "formats/format_list.h"

#include <gtest/gtest.h>

#include <set>

namespace lapcast {
namespace {

constexpr FormatKind kKinds[] = {FormatKind::log, FormatKind::price_list, FormatKind::runs,
                                 FormatKind::task, FormatKind::report};

TEST(FormatList, HasEachNameOnceInItsKind) {
  for (const FormatKind kind : kKinds) {
    std::set<std::string_view> names;
    for (const FileFormat* format : formats_of(kind)) {
      EXPECT_TRUE(names.insert(format->name).second) << format->name;
      EXPECT_EQ(find_format(kind, format->name), format);
      EXPECT_FALSE(format->what.empty()) << format->name;
    }
    EXPECT_FALSE(names.empty());
  }
}

TEST(FormatList, HasWhatACommandOfTheKindCanUse) {
  for (const FileFormat* format : formats_of(FormatKind::log))
    EXPECT_LE(format->use.index(), 4u) << format->name;
  for (const FileFormat* format : formats_of(FormatKind::price_list))
    EXPECT_TRUE(std::holds_alternative<PriceListFormat>(format->use)) << format->name;
  for (const FileFormat* format : formats_of(FormatKind::runs))
    EXPECT_TRUE(std::holds_alternative<BeginRuns>(format->use) ||
                std::holds_alternative<FilePerRun>(format->use))
        << format->name;
}

TEST(FormatList, RecognizesLogsByTheirText) {
  const auto name_of = [](std::string_view head, std::string_view name) {
    const FileFormat* format = recognized_log(head, name);
    return format == nullptr ? std::string_view("none") : format->name;
  };
  EXPECT_EQ(name_of("[1] 0: :::MLLOG {\"key\": 1}\n", "out.txt"), "mllog");
  EXPECT_EQ(name_of("x", "events.out.tfevents.1790000000.host.1.0"), "tensorboard");
  EXPECT_EQ(name_of("{\n  \"best_metric\": null,\n  \"log_history\": [", "s.json"),
            "trainer-state");
  EXPECT_EQ(name_of("{\"_step\": 0, \"loss\": 1}\n", "h.jsonl"), "wandb");
  EXPECT_EQ(name_of("epoch,loss,val_loss\n0,1,2\n", "log.csv"), "keras-csv");
  EXPECT_EQ(name_of("Wall time,Step,Value\n1,2,3\n", "run.csv"), "keras-csv");
  EXPECT_EQ(name_of("x\n  epoch    loss     dur\n-----  ----  ---\n  1  0.5  2.0\n  2  0.4  2.1\n",
                    "log.txt"),
            "keras-csv");
  EXPECT_EQ(name_of("[{\"batches\": [], \"epoch\": 1, \"dur\": 2}]", "history.json"),
            "epochs-json");
  EXPECT_EQ(
      name_of("{\"iteration\": 19, \"time\": 1}\n{\"iteration\": 39, \"time\": 1}\n", "m.json"),
      "metrics-json");
  EXPECT_EQ(name_of("time/time_elapsed,time/total_timesteps\n2,2232\n", "progress.csv"),
            "keras-csv");
  EXPECT_EQ(name_of("done\n# csv,train,ok,1\n", "out"), "stopwatch");
  EXPECT_EQ(name_of("epoch\thours\n1\t0.5\n", "net.tsv"), "dawnbench");
  for (const char* text : {"| Epoch | Top | Note |\n| 1 | 0.5 | a |\n| 2 | 0.6 | b |\n",
                           "{\"epoch\": 3}", "[{\"epoch\": 1, \"iter\": 50, \"time\": 0.3}]", "",
                           "\0\0", "the first epoch, then a step\n", "a,b\n1,2\n", "[1, 2]", "{}"})
    EXPECT_EQ(name_of(text, "x"), "none") << text;
  EXPECT_EQ(recognized_folder("\nmeta.yaml\nmetrics\nparams\n")->name, "mlflow");
  EXPECT_EQ(recognized_folder("\nmetrics\n"), nullptr);
}

TEST(FormatList, NamesDoNotCrossKinds) {
  EXPECT_EQ(find_format(FormatKind::log, "vantage"), nullptr);
  EXPECT_EQ(find_format(FormatKind::price_list, "yaml"), nullptr);
  EXPECT_NE(find_format(FormatKind::log, "tensorboard"),
            find_format(FormatKind::runs, "tensorboard"));
  EXPECT_EQ(names_of_formats(FormatKind::runs), "tensorboard|chrome-trace");
  EXPECT_EQ(names_of_formats(FormatKind::log, ", "),
            "mllog, dawnbench, tensorboard, trainer-state, wandb, mlflow, stopwatch, algoperf, "
            "csv-intervals, keras-csv, epochs-json, metrics-json");
}

}  // namespace
}  // namespace lapcast
