#include "suite/transfer/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "core/units.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "suite/transfer/transfer_places.h"
#include "suite/transfer/transfer_seconds.h"
#include "suite/transfer/transfer_work.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDrops = 5;  // lost links, without anything sent in between

/// Performs a transfer one way with all files. An object is used once.
class Transfer {
 public:
  Transfer(const TransferRequest& request, const Interrupt& interrupt, TransferProgress tell)
      : request_(request),
        interrupt_(interrupt),
        tell_(std::move(tell)),
        input_(transfer_input_of(request)) {
    if (request_.piece_files == 0) request_.piece_files = usual_piece_files(input_.files.size());
    pieces_ = pieces_of(input_.files, request_.piece_files, input_.shared);
    work_.emplace(request_, input_);
  }

  TransferResult go() {
    begin();
    if (request_.program.empty())
      send_plain();
    else if (prepares_here(request_.way))
      prepare_here();
    else
      prepare_there();
    return end();
  }

 private:
  void begin();
  TransferResult end();
  void tell_changed();
  void note_left_over();
  void send_plain();
  void prepare_here();
  void prepare_there();
  void take_ended();
  void prepare_again(const EndedPiece& ended);
  void take_piece(EndedPiece ended);
  void check_made(std::size_t piece, const std::vector<std::string>& made);
  void pump(bool may_wait);
  void send(const std::vector<std::size_t>& pieces, const std::string& folder);
  FolderPaths files_to_send(std::size_t piece) const;
  void show();
  bool take_done(std::size_t piece);
  [[noreturn]] void refuse(const Reason& reason) const {
    if (interrupt_.count() > 0)
      throw Error(ExitCode::interrupted, "interrupted; the same command goes on where it was");
    throw Error(ExitCode::system_failed, reason.text + "; the same command goes on where it was");
  }

  TransferRequest request_;
  const Interrupt& interrupt_;
  TransferProgress tell_;
  TransferInput input_;
  std::vector<Piece> pieces_;
  std::optional<TransferWork> work_;
  std::string state_;  // folder on the target: its real path, without links that others may change
  std::unique_ptr<PieceRunner> runner_;
  TransferSeconds seconds_;
  TransferResult result_;
  std::vector<std::size_t> ready_;                        // prepared on this machine, not sent yet
  std::map<std::size_t, std::vector<std::string>> made_;  // by piece
  MadeNames made_names_;
  std::optional<Seconds> prepare_begin_;  // since the start of the transfer
  MonotonicNs shown_ = 0;
};

void Transfer::begin() {
  if (const auto begun = work_->begin(content_of_preparation(request_.program)); !begun)
    refuse(begun.error());
  const auto state_of = [&](const std::string& name) {
    return state_on_target(request_.target, name);
  };
  if (!work_->changed().empty()) {
    tell_changed();
    end_on_target(request_.target, state_of(work_->former_name_on_target()));
  }
  const bool needs_program = !request_.program.empty() && !prepares_here(request_.way);
  const auto begun =
      begin_on_target(request_.target, state_of(work_->name_on_target()),
                      needs_program ? request_.program : std::vector<std::string>(), interrupt_);
  if (!begun) refuse(begun.error());
  state_ = *begun;
  result_.workers = request_.workers;
  result_.way = request_.program.empty() ? "send" : std::string(to_string(request_.way));
  result_.target = request_.target.text;
  result_.files = static_cast<std::int64_t>(input_.files.size());
  result_.bytes = input_.bytes;
  result_.notes.insert(result_.notes.end(), input_.notes.begin(), input_.notes.end());
  for (const ListedFile& file : input_.files)
    ++sizes_of(result_.sizes, static_cast<std::uintmax_t>(file.bytes)).files;
  seconds_ = TransferSeconds();
}

TransferResult Transfer::end() {
  result_.time = seconds_.elapsed();
  result_.seconds = seconds_.all();
  std::ranges::sort(result_.sizes, {}, &SizeCount::up_to_bytes);
  result_.verified = work_->is_resumed() || result_.drops > 0;
  note_left_over();
  if (!result_.failed.empty()) {
    result_.notes.push_back("the same command tries the pieces again that were not prepared");
    return std::move(result_);
  }
  end_on_target(request_.target, state_);
  work_->remove();
  return std::move(result_);
}

void Transfer::tell_changed() {
  const std::string text =
      fmt::format("the program changed since the transfer began: {}; all pieces are prepared anew",
                  short_list(work_->changed()));
  tell_(text);
  result_.notes.push_back(text);
}

/// Lists the files that the program made before it changed and does not make any more.
void Transfer::note_left_over() {
  std::vector<std::string> made;
  for (const auto& [piece, names] : made_) made.insert(made.end(), names.begin(), names.end());
  const std::vector<std::string> left = work_->left_over(made);
  if (!left.empty())
    result_.notes.push_back("made before the program changed, and perhaps still on the target: " +
                            short_list(left));
}

void Transfer::show() {
  const MonotonicNs now = monotonic_ns();
  if (now - shown_ < 200'000'000) return;
  shown_ = now;
  const TransferSecond& sum = seconds_.now();
  const double time = std::max(seconds_.elapsed().count(), 1e-3);
  std::string text = fmt::format("{} of {} files", result_.prepared_files, result_.files);
  if (!request_.program.empty()) text += " prepared";
  tell_(fmt::format("{}, {:.1f} files/s; {} files sent, {:.1f} MB/s", text,
                    static_cast<double>(sum.prepared_files) / time, sum.sent_files,
                    static_cast<double>(sum.sent_bytes) * 1e-6 / time));
}

// Sending -----------------------------------------------------------------------------------------

FolderPaths Transfer::files_to_send(std::size_t piece) const {
  if (request_.program.empty()) return {input_.folder, pieces_[piece].files};
  if (prepares_here(request_.way))
    return {work_->folder() / "out" / pieces_[piece].name, made_.at(piece)};
  return linked_files(pieces_[piece], work_->folder());
}

void Transfer::send(const std::vector<std::size_t>& pieces, const std::string& folder) {
  std::vector<FolderPaths> files;
  std::int64_t bytes = 0, count = 0;
  for (const std::size_t piece : pieces) {
    files.push_back(files_to_send(piece));
    for (const std::string& path : files.back().paths) {
      std::error_code error;
      const auto size = fs::file_size(files.back().folder / path, error);
      bytes += error ? 0 : static_cast<std::int64_t>(size);
      if (!error && result_.way.starts_with("here")) ++sizes_of(result_.sizes, size).made_files;
      ++count;
    }
  }
  if (folder == request_.target.folder)
    if (const auto free = nothing_in_the_way(*request_.target.host, folder, files, interrupt_);
        !free)
      refuse(free.error());
  CopyOptions options{.interrupt = &interrupt_,
                      .on_progress = [&](std::string_view line) { seconds_.take_progress(line); },
                      .by_checksum = work_->is_resumed(),
                      .follows_links = !request_.program.empty() && !prepares_here(request_.way),
                      .meanwhile = [&] { pump(false); }};
  const MonotonicNs begin = monotonic_ns();
  for (int drops = 0;; ++drops) {
    const auto sent = request_.target.host->copy_to(files, folder, options);
    if (sent) {
      result_.sent_bytes += *sent;
      break;
    }
    if (interrupt_.count() > 0 || !sent.error().passes || drops >= kMostDrops)
      refuse(sent.error().reason);
    ++result_.drops;
    options.by_checksum = true;
    tell_(sent.error().reason.text + "; trying again");
    interrupt_.count_after(Seconds{1.0 * (1 << drops)});
  }
  if (folder != request_.target.folder)  // A program would prepare files left by a killed sending.
    if (const auto removed = remove_left_by_rsync(*request_.target.host, folder, files, interrupt_);
        !removed)
      refuse(removed.error());
  result_.send += from_ns(monotonic_ns() - begin);
  seconds_.sent(bytes, count);
}

void Transfer::send_plain() {
  std::vector<std::size_t> all(pieces_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  send(all, request_.target.folder);
  result_.prepared_files = result_.made_files = result_.files;
}

// Preparing ---------------------------------------------------------------------------------------

/// Uses a piece that an earlier command prepared. Returns false if there is none.
bool Transfer::take_done(std::size_t piece) {
  auto made = work_->made_of(pieces_[piece]);
  if (!made) return false;
  result_.resumed_files += static_cast<std::int64_t>(pieces_[piece].files.size());
  take_piece({.piece = piece, .made = std::move(*made)});
  return true;
}

/// Rejects files that cannot be in one folder with those of other pieces.
void Transfer::check_made(std::size_t piece, const std::vector<std::string>& made) {
  if (const auto apart = made_names_.add(piece, made); !apart)
    throw Error(ExitCode::program_failed, apart.error().text);
}

/// Prepares a piece again that was lost with the link to the host.
void Transfer::prepare_again(const EndedPiece& ended) {
  if (++result_.drops > kMostDrops * request_.workers) refuse(ended.made.error());
  runner_->add(ended.piece);
}

void Transfer::take_piece(EndedPiece ended) {
  const Piece& piece = pieces_[ended.piece];
  if (ended.lost_host) return prepare_again(ended);
  if (ended.lacks_program) throw Error(ExitCode::program_failed, ended.made.error().text);
  if (ended.not_placed) refuse(ended.made.error());
  if (!ended.made) result_.failed.push_back({piece.name, piece.files, ended.made.error().text});
  if (!ended.made) return;
  check_made(ended.piece, *ended.made);
  if (const auto noted = work_->note_done(piece, *ended.made); !noted) refuse(noted.error());
  const auto files = static_cast<std::int64_t>(piece.files.size());
  seconds_.prepared(files);
  result_.prepared_files += files;
  result_.made_files += static_cast<std::int64_t>(ended.made->size());
  made_[ended.piece] = std::move(*ended.made);
  ready_.push_back(ended.piece);
}

void Transfer::take_ended() {
  for (EndedPiece& ended : runner_->take_ended()) {
    const bool was_prepared = ended.made.has_value();
    take_piece(std::move(ended));
    if (was_prepared) result_.prepare = seconds_.elapsed() - *prepare_begin_;
  }
}

void Transfer::pump(bool may_wait) {
  if (runner_) {
    if (!prepare_begin_ && !runner_->is_idle()) prepare_begin_ = seconds_.elapsed();
    runner_->pump(may_wait);
    take_ended();
  }
  show();
  if (may_wait && interrupt_.count() > 0) refuse({"interrupted"});
}

void Transfer::prepare_here() {
  const LocalHost this_machine;
  runner_ = std::make_unique<PieceRunner>(
      this_machine, pieces_, pieces_here(work_->folder(), request_.program, request_.workers));
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (take_done(i)) continue;
    link_piece(pieces_[i], input_.folder, work_->folder());
    runner_->add(i);
  }
  const bool waits = !is_overlapped(request_.way);
  while (!runner_->is_idle() || !ready_.empty()) {
    pump(true);
    if (ready_.empty() || (waits && !runner_->is_idle())) continue;
    send(std::exchange(ready_, {}), request_.target.folder);
  }
  runner_.reset();
}

void Transfer::prepare_there() {
  runner_ = std::make_unique<PieceRunner>(
      *request_.target.host, pieces_,
      pieces_there(request_.target, state_, request_.target.folder, request_.program,
                   request_.workers),
      [&](std::size_t piece, const auto& made) { check_made(piece, made); });
  std::vector<std::size_t> unsent;
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (!take_done(i)) {
      link_piece(pieces_[i], input_.folder, work_->folder());
      unsent.push_back(i);
    }
  const std::size_t most =
      is_overlapped(request_.way) ? static_cast<std::size_t>(request_.workers) : unsent.size();
  for (std::size_t at = 0; at < unsent.size(); at += most) {
    const auto begin = unsent.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<std::size_t> batch(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(most, unsent.size() - at)));
    send(batch, state_ + "/in");
    for (const std::size_t piece : batch) runner_->add(piece);
  }
  while (!runner_->is_idle()) pump(true);
  runner_.reset();
}

}  // namespace

TransferInput transfer_input_of(const TransferRequest& request) {
  std::vector<fs::path> left_out{request.work};
  if (!request.target.is_remote) left_out.emplace_back(request.target.folder);
  TransferInput input = transfer_input(request.folder, left_out);
  if (!request.target.is_remote && input.folder == request.target.folder)
    throw Error(ExitCode::usage, "--to is the folder with the files itself");
  if (!request.with.empty() && request.program.empty())
    throw Error(ExitCode::usage, "--with is for a program that prepares: without one all is sent");
  share_files(input, request.with);
  return input;
}

TransferResult transfer(const TransferRequest& request, const Interrupt& interrupt,
                        const TransferProgress& tell) {
  if (!request.program.empty()) check_preparation(request.program);
  return Transfer(request, interrupt, tell).go();
}

}  // namespace lapcast
