#include "suite/papers/measured_transfers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lapcast {
namespace {

MeasuredTransfer transfer(std::optional<TransferWay> way, int workers, std::int64_t sent_bytes,
                          double seconds) {
  return {.way = way,
          .workers = workers,
          .files = 100,
          .bytes = 44'000'000,
          .sent_bytes = sent_bytes,
          .send = Seconds{seconds / 2},
          .time = Seconds{seconds}};
}

const MeasuredFigure* find(const std::vector<MeasuredFigure>& figures, const std::string& row,
                           const std::string& quantity) {
  const auto found = std::ranges::find_if(figures, [&](const MeasuredFigure& figure) {
    return figure.row == row && figure.quantity == quantity;
  });
  return found == figures.end() ? nullptr : &*found;
}

double measured(const std::vector<MeasuredFigure>& figures, const std::string& row,
                const std::string& quantity) {
  const MeasuredFigure* figure = find(figures, row, quantity);
  return figure == nullptr ? -1 : figure->measured.mid;
}

const std::vector<MeasuredTransfer> kAll = {
    transfer(TransferWay::here, 1, 1'000'000, 50),
    transfer(TransferWay::here_overlapped, 5, 1'000'000, 20),
    transfer(TransferWay::there, 1, 44'000'000, 200),
    transfer(TransferWay::there_overlapped, 5, 44'000'000, 40),
    transfer(std::nullopt, 1, 44'000'000, 22)};

TEST(MeasuredTransfers, HaveTheFiguresOfTheThesis) {
  const auto figures = kunas_transfers(kAll).value();
  EXPECT_DOUBLE_EQ(measured(figures, "preparation local-sequential", "throughput"), 2);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation local-parallel", "throughput"), 5);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation cloud-sequential", "throughput"), 0.5);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation cloud-parallel", "elapsed"), 40);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation local-parallel", "gain"), 60);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation cloud-parallel", "gain"), 80);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation local-sequential", "gain over cloud"), 75);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation local-parallel", "gain over cloud"), 50);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation raw", "size"), 44);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation prepared", "size"), 1);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation raw", "size ratio"), 44);
  // 352 Mbit in 100 s and in 20 s; 8 Mbit in 25 s and in 10 s: those of one worker apart
  EXPECT_DOUBLE_EQ(measured(figures, "preparation raw, one at a time", "bandwidth"), 3.52);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation raw, in parallel", "bandwidth"), 17.6);
  EXPECT_DOUBLE_EQ(measured(figures, "preparation prepared, in parallel", "bandwidth"), 0.8);
  EXPECT_NEAR(measured(figures, "preparation raw, one at a time", "bandwidth ratio"), 11, 1e-9);
  EXPECT_DOUBLE_EQ(measured(figures, "ic-dr data set", "transfer time"), 22);
  EXPECT_DOUBLE_EQ(measured(figures, "ic-dr data set", "transfer rate"), 2);
  EXPECT_DOUBLE_EQ(measured(figures, "ic-dr data set", "transferred"), 44);
}

TEST(MeasuredTransfers, StandBesideWhatThePaperPrints) {
  const auto figures = kunas_transfers(kAll).value();
  EXPECT_EQ(find(figures, "preparation local-parallel", "throughput")->printed->text, "5.47");
  EXPECT_EQ(find(figures, "preparation raw", "size ratio")->printed->text, "44");
  EXPECT_EQ(find(figures, "ic-dr data set", "transfer rate")->printed->text, "12.2");
  EXPECT_EQ(find(figures, "preparation raw, in parallel", "bandwidth")->printed->text, "66");
  EXPECT_FALSE(find(figures, "preparation cloud-parallel", "elapsed")->printed);
}

TEST(MeasuredTransfers, HaveAnIntervalFromTwoOn) {
  const auto alone = kunas_transfers({transfer(TransferWay::here, 1, 1, 40)}).value();
  EXPECT_EQ(alone.front().measured.low, alone.front().measured.high);
  const auto two = kunas_transfers({transfer(TransferWay::here, 1, 1, 40),
                                    transfer(TransferWay::here, 1, 1, 60)})
                       .value();
  const MeasuredFigure* elapsed = find(two, "preparation local-sequential", "elapsed");
  ASSERT_NE(elapsed, nullptr);
  EXPECT_EQ(elapsed->transfers, 2U);
  EXPECT_DOUBLE_EQ(elapsed->measured.mid, 50);
  // sd 14.142, its error 10, t(1) = 12.706
  EXPECT_NEAR(elapsed->measured.high, 50 + 127.06, 0.01);
  EXPECT_EQ(elapsed->measured.low, 0);
  EXPECT_EQ(find(two, "preparation local-parallel", "gain"), nullptr);
}

TEST(MeasuredTransfers, AreAveragedOnlyWhereTheyAreAlike) {
  const auto why = [](MeasuredTransfer b) {
    MeasuredTransfer a = transfer(TransferWay::here, 5, 1, 40);
    a.name = "a.json";
    b.name = "b.json";
    const auto figures = kunas_transfers({a, b});
    return figures ? "" : figures.error().text;
  };
  EXPECT_EQ(why(transfer(TransferWay::here, 5, 1, 60)), "");
  EXPECT_EQ(
      why(transfer(TransferWay::here, 4, 1, 60)),
      "a.json (here, 5 at a time, 100 files, 44 MB) and b.json (here, 4 at a time, 100 files, "
      "44 MB) cannot be averaged: leave one of them out");
  EXPECT_NE(why(transfer(TransferWay::here_overlapped, 5, 1, 60)), "");
  MeasuredTransfer fewer = transfer(TransferWay::there, 5, 1, 60);
  fewer.files = 99;
  EXPECT_NE(why(fewer), "");  // a gain over other files would say nothing
  MeasuredTransfer far = transfer(TransferWay::there, 5, 1, 60);
  far.host = "box";
  EXPECT_NE(why(far), "");
  EXPECT_EQ(why(transfer(TransferWay::there, 4, 1, 60)), "");
}

// 406 x 2^20 bytes in 60 s are 56.76 Mbit/s, as table 5.1 has them.
TEST(MeasuredTransfers, OfTheLinkAloneAreTable51) {
  const auto read = parse_measured_transfer(
      R"({"command": "transfer link", "transfer_link": {"host": "box", "sent_bytes": 425721856,
      "time_s": 60, "bytes_per_second": 1}, "transfer_seconds": [{"second": 1, "sent_bytes": 7,
      "sent_files": 0, "prepared_files": 0}]})");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_TRUE(read->is_link);
  ASSERT_EQ(read->seconds.size(), 1U);
  EXPECT_EQ(read->seconds[0].sent_bytes, 7);
  const auto figures = kunas_transfers({*read}).value();
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].table, "5.1");
  EXPECT_DOUBLE_EQ(measured(figures, "iperf local-to-cloud", "transferred"), 406);
  EXPECT_NEAR(measured(figures, "iperf local-to-cloud", "bandwidth"), 56.763, 1e-3);
  EXPECT_EQ(find(figures, "iperf local-to-cloud", "bandwidth")->printed->text, "56.8");
}

std::string document(const std::string& way, int files, int prepared, int resumed) {
  return fmt::format(
      R"({{"command": "transfer run", "transfer": {{"way": "{}", "workers": 5, "files": {}, "bytes": 400,
      "prepared_files": {}, "resumed_files": {}, "sent_bytes": 40, "send_s": 1.5, "time_s": 2}},
      "transfer_failures": []}})",
      way, files, prepared, resumed);
}

TEST(MeasuredTransfers, AreReadFromWhatTheCommandPrints) {
  const auto read = parse_measured_transfer(document("there-overlapped", 4, 4, 0));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->way, TransferWay::there_overlapped);
  EXPECT_EQ(read->workers, 5);
  EXPECT_EQ(read->files, 4);
  EXPECT_EQ(read->bytes, 400);
  EXPECT_EQ(read->sent_bytes, 40);
  EXPECT_EQ(read->send, Seconds{1.5});
  EXPECT_EQ(read->time, Seconds{2});
  EXPECT_FALSE(parse_measured_transfer(document("send", 4, 4, 0))->way);
  std::string over_ssh = document("here", 4, 4, 0);
  over_ssh.replace(over_ssh.find("\"way\""), 0, R"("target": "box:data/eyes", )");
  EXPECT_EQ(parse_measured_transfer(over_ssh)->host, "box");
}

TEST(MeasuredTransfers, AreRefusedWhereTheyHaveNoTimeOfTheirOwn) {
  const auto reason = [](const std::string& text) {
    const auto read = parse_measured_transfer(text);
    return read ? "" : read.error().text;
  };
  EXPECT_NE(reason(document("here", 4, 3, 0)).find("left files out"), std::string::npos);
  EXPECT_NE(reason(document("here", 4, 4, 2)).find("earlier command"), std::string::npos);
  EXPECT_NE(reason(document("over", 4, 4, 0)).find("'over'"), std::string::npos);
  EXPECT_NE(reason(document("here", 0, 0, 0)).find("nothing that was sent"), std::string::npos);
  EXPECT_EQ(reason("{}"), "transfer is missing");
  EXPECT_EQ(reason("[1"), "not one JSON object");
  EXPECT_EQ(reason(R"({"transfer": {"workers": 1.5}})"),
            "transfer.workers is not a whole number of 64 bits");
  EXPECT_EQ(reason(std::string(100, '[')), "not one JSON object");
}

}  // namespace
}  // namespace lapcast
