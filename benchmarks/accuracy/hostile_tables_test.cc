#include <gtest/gtest.h>

#include <random>

#include "accuracy/cross_fit.h"
#include "accuracy/error_table.h"
#include "accuracy/first_iterations.h"
#include "accuracy/first_units.h"
#include "accuracy/run_tables.h"

namespace lapcast::accuracy {
namespace {

constexpr const char* kWrittenRuns =
    "run_id,round,submitter,system,benchmark,hw_family,framework,global_batch,train_samples,"
    "total_s,"
    "unit_kind,units_done\n"
    "a,v1,Org,s,resnet,A100,MXNet,256,1281167,400,epoch,5\n"
    "b,v1,Other,s,resnet,V100,MXNet,256,1281167,400,block,20\n"
    "c,v1,Org,s,bert,TPU,TF,256,,400,eval,9\n";
constexpr const char* kEvents =
    "run_id,t_ms,key,epoch,count,value\n"
    "a,0,epoch_start,1,,\na,90000,epoch_stop,1,,\na,91000,eval_start,1,,\na,99000,eval_stop,1,,\n"
    "a,100000,epoch_start,2,,\na,190000,epoch_stop,2,,\na,200000,epoch_start,3,,\n"
    "b,0,block_start,0,4,\nb,90000,block_stop,0,,\nb,91000,eval_accuracy,4,,0.3\n"
    "b,92000,block_start,4,4,\nb,190000,block_stop,4,,\nb,200000,block_start,8,4,\n"
    "c,50000,eval_accuracy,1,,0.1\nc,90000,eval_accuracy,2,,0.2\nc,130000,eval_accuracy,3,,0.3\n";
constexpr const char* kProgress =
    "run_id,kind,t_ms,epoch,iter_in_epoch_or_global,reported\n"
    "a,mxnet,5000,0,20,1000\na,mxnet,10000,0,40,1000\na,mxnet,15000,0,60,1000\n"
    "b,maskrcnn,5000,,50,0.1\nb,maskrcnn,10000,,100,0.1\n";

/// Replaces some characters of the text's cells by characters of numbers and rows.
std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "0123456789-.e,\n\"\r\0\xff";
  const std::size_t header = text.find('\n') + 1;
  for (int changes = 1 + static_cast<int>(random() % 12); changes > 0; --changes)
    text[header + random() % (text.size() - header)] = kBytes[random() % kBytes.size()];
  return text;
}

void read(CsvTable table, const std::string& text) {
  table.feed(text.substr(0, text.size() / 2));
  table.feed(text.substr(text.size() / 2));
  table.finish();
}

/// Returns the number of runs that can be judged after `seen` units or, for 0, after the first
/// iterations.
std::size_t judged(const LoggedRuns& runs, std::size_t seen, Dropped& dropped) {
  std::vector<Probe> probes;
  for (const LoggedRun& run : runs.runs) {
    if (auto probe = seen > 0 ? probe_of(run, seen) : probe_of_iterations(run))
      probes.push_back(*std::move(probe));
  }
  const auto rows = error_rows(judge(probes, dropped));
  for (const ErrorRow& row : rows) EXPECT_FALSE(to_text(row).empty());
  return rows.size();
}

TEST(HostileTables, AreJudgedAsFarAsTheyGo) {
  std::mt19937 random(7);
  std::size_t rows = 0;
  for (int i = 0; i < 2000; ++i) {
    LoggedRuns runs;
    Dropped dropped;
    read(run_table(runs, dropped), damaged(kWrittenRuns, random));
    read(event_table(runs, dropped), damaged(kEvents, random));
    read(progress_table(runs, dropped), damaged(kProgress, random));
    for (const std::size_t seen : {0, 2, 3}) rows += judged(runs, seen, dropped);
  }
  EXPECT_GT(rows, 2000u);
}

}  // namespace
}  // namespace lapcast::accuracy
