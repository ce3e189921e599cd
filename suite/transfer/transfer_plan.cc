#include "suite/transfer/transfer_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "stats/ratio_estimate.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastPieces = 3;
constexpr int kEmptyCalls = 3;  // timed to measure a call that sends nothing

/// Holds the measurements of each piece, without the warm-up piece.
struct SampledPieces {
  std::vector<double> files, bytes;
};

/// Measures a sample, whose files are removed with the object.
class SampleRun {
 public:
  SampleRun(const TransferPlanRequest& request, const TransferInput& input,
            std::vector<Piece> pieces, const Interrupt& interrupt, const TransferProgress& tell)
      : request_(request),
        target_(request.transfer.target),
        input_(input),
        pieces_(std::move(pieces)),
        interrupt_(interrupt),
        tell_(tell),
        id_("plan-" + new_id()),
        work_(request.transfer.work / id_),
        state_(state_on_target(target_, id_)),
        merged_(target_.folder + "/.lapcast-" + id_) {}
  ~SampleRun() {
    std::error_code error;
    fs::remove_all(work_, error);
    if (begun_) end_on_target(target_, state_, merged_);
  }
  SampleRun(const SampleRun&) = delete;
  SampleRun& operator=(const SampleRun&) = delete;

  TransferSample measure();

 private:
  void begin();
  PreparingCost prepare(const Host& host, PieceProgram program, const char* where);
  double send(const std::vector<FolderPaths>& files, const std::string& folder, bool raw);
  void send_raw(TransferSample& sample);
  void send_prepared(TransferSample& sample);
  void check_interrupt() const {
    if (interrupt_.count() > 0) throw Error(ExitCode::interrupted, "interrupted");
  }

  const TransferPlanRequest& request_;
  const TransferTarget& target_;
  const TransferInput& input_;
  std::vector<Piece> pieces_;
  const Interrupt& interrupt_;
  const TransferProgress& tell_;
  std::string id_;
  fs::path work_;
  std::string state_;   // folder on the target; its real path once the sample has begun
  std::string merged_;  // the folder of the target that receives the sample
  bool begun_ = false;
  SampledPieces sampled_;
  std::vector<FolderPaths> prepared_;  // by piece
};

void SampleRun::begin() {
  for (const char* folder : {"in", "out", "done"})
    if (const auto made = make_private_folders(work_ / folder); !made)
      throw Error(ExitCode::system_failed, made.error().text + "; choose another with --work");
  begun_ = true;
  TransferTarget sample = target_;
  sample.folder = merged_;
  const auto begun = begin_on_target(sample, state_, request_.transfer.program, interrupt_);
  check_interrupt();
  if (!begun) throw Error(ExitCode::system_failed, begun.error().text);
  state_ = *begun;
  for (const Piece& piece : pieces_) link_piece(piece, input_.folder, work_);
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    sampled_.files.push_back(static_cast<double>(pieces_[i].files.size()));
    sampled_.bytes.push_back(static_cast<double>(pieces_[i].bytes));
  }
}

PreparingCost SampleRun::prepare(const Host& host, PieceProgram program, const char* where) {
  const int workers = program.workers;
  PieceRunner runner(host, pieces_, std::move(program));
  std::vector<double> seconds(pieces_.size());
  prepared_.assign(pieces_.size(), {});
  std::size_t done = 0;
  const auto take_all = [&] {
    tell_(fmt::format("preparing the sample {}: {} of {} pieces", where, done, pieces_.size()));
    while (!runner.is_idle()) {
      runner.pump(true);
      check_interrupt();
      for (EndedPiece& ended : runner.take_ended()) {
        const Piece& piece = pieces_[ended.piece];
        if (!ended.made)
          throw Error(ended.lost_host ? ExitCode::system_failed : ExitCode::program_failed,
                      fmt::format("preparing the sample {}: {}", where, ended.made.error().text));
        seconds[ended.piece] = ended.time.count();
        prepared_[ended.piece] = {work_ / "out" / piece.name, std::move(*ended.made)};
        tell_(
            fmt::format("preparing the sample {}: {} of {} pieces", where, ++done, pieces_.size()));
      }
    }
  };
  runner.add(0);
  take_all();
  for (std::size_t i = 1; i < pieces_.size(); ++i) runner.add(i);
  take_all();
  return preparing_cost(std::span(seconds).subspan(1), sampled_.files, sampled_.bytes, workers);
}

/// Returns the seconds of one call.
double SampleRun::send(const std::vector<FolderPaths>& files, const std::string& folder, bool raw) {
  const MonotonicNs begin = monotonic_ns();
  const auto sent = target_.host->copy_to(
      files, folder, {.interrupt = &interrupt_, .follows_links = raw, .meanwhile = [] {}});
  check_interrupt();
  if (!sent) throw Error(ExitCode::system_failed, sent.error().reason.text);
  return from_ns(monotonic_ns() - begin).count();
}

void SampleRun::send_raw(TransferSample& sample) {
  std::vector<double> seconds, calls;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    tell_(fmt::format("sending the sample: {} of {} pieces", i, pieces_.size()));
    const FolderPaths files = linked_files(pieces_[i], work_);
    const double time = send({files}, state_ + "/in", true);
    if (i > 0) seconds.push_back(time);
    for (int call = 0; i == 0 && call < kEmptyCalls; ++call)
      calls.push_back(send({files}, state_ + "/in", true));
  }
  sample.send_call_s = median(calls);
  for (double& time : seconds) time = std::max(time - sample.send_call_s, time * 0.01);
  sample.send_byte_s = ratio_estimate(seconds, sampled_.bytes);
}

/// Records the bytes prepared on this machine, and the time of sending them in one call.
void SampleRun::send_prepared(TransferSample& sample) {
  std::vector<double> made;
  std::int64_t files = 0;
  for (const FolderPaths& piece : prepared_) {
    made.push_back(static_cast<double>(bytes_below(piece.folder)));
    files += static_cast<std::int64_t>(piece.paths.size());
  }
  double bytes = 0;
  for (const double piece : made) bytes += piece;
  tell_("sending the sample as it was prepared");
  const double time = send(prepared_, merged_ + "/sent", false) - sample.send_call_s;
  sample.prepared_bytes = ratio_estimate(std::span(made).subspan(1), sampled_.bytes);
  std::size_t sampled = 0;
  for (const Piece& piece : pieces_) sampled += piece.files.size();
  sample.prepared_files = static_cast<double>(files) / static_cast<double>(sampled);
  if (files > 0)
    sample.send_prepared_file_s =
        std::max(0.0, time - bytes * sample.send_byte_s.ratio) / static_cast<double>(files);
}

TransferSample SampleRun::measure() {
  begin();
  TransferSample sample{.same_machine = !target_.is_remote};
  const LocalHost this_machine;
  const auto& program = request_.transfer.program;
  sample.prepare_here =
      prepare(this_machine, pieces_here(work_, program, request_.transfer.workers), "here");
  const auto prepared_here = prepared_;
  send_raw(sample);
  prepared_ = prepared_here;
  send_prepared(sample);
  sample.prepare_there = prepare(
      *target_.host,
      pieces_there(target_, state_, merged_ + "/made", program, request_.workers_there), "there");
  return sample;
}

}  // namespace

TransferForecast plan_transfer(const TransferPlanRequest& request, const Interrupt& interrupt,
                               const TransferProgress& tell) {
  const MonotonicNs begin = monotonic_ns();
  check_preparation(request.transfer.program);
  const TransferInput input = transfer_input_of(request.transfer);
  const std::size_t piece_files = request.transfer.piece_files > 0
                                      ? request.transfer.piece_files
                                      : usual_piece_files(input.files.size());
  const auto files = random_files(input.files, request.sample, request.seed);
  std::vector<Piece> pieces = pieces_of(files, piece_files, input.shared);
  if (pieces.size() < kLeastPieces)
    throw Error(ExitCode::usage,
                fmt::format("a sample of {} files is fewer than {} pieces of {}: choose a larger "
                            "--sample, or smaller pieces with --piece",
                            files.size(), kLeastPieces, piece_files));
  TransferForecast forecast{.target = request.transfer.target.text,
                            .size = {static_cast<std::int64_t>(input.files.size()), input.bytes,
                                     static_cast<std::int64_t>(piece_files)},
                            .sampled_files = static_cast<std::int64_t>(files.size()),
                            .has_training = request.has_training,
                            .notes = input.notes};
  for (const ListedFile& file : files) forecast.sampled_bytes += file.bytes;
  if (forecast.sampled_bytes == 0) throw Error(ExitCode::bad_input, "the sample is empty: 0 bytes");
  forecast.sample = SampleRun(request, input, std::move(pieces), interrupt, tell).measure();
  forecast.sampling = from_ns(monotonic_ns() - begin);
  forecast.ways = forecast_ways(forecast.sample, forecast.size, request.prices);
  return forecast;
}

}  // namespace lapcast
