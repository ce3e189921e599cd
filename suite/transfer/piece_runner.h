#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "remote/command.h"
#include "remote/host.h"
#include "suite/transfer/transfer_files.h"

namespace lapcast {

/// Says how pieces are prepared on a host. The folder has in/NAME with the files of a piece, and
/// receives out/NAME and done/NAME.
struct PieceProgram {
  std::string folder;                // absolute, or relative to the home folder of the host
  std::string working_dir;           // of the program; absolute, or relative to `folder`
  std::string seen_folder;           // path of `folder` that the program gets
  std::string destination;           // where out/NAME is moved to; empty = it stays
  std::vector<std::string> program;  // with {in}, {out} and {piece}
  int workers = 1;                   // number of pieces prepared at the same time
};

struct EndedPiece {
  std::size_t piece = 0;  // its index
  Seconds time{0};
  Result<std::vector<std::string>> made = {};  // the files that the program wrote
  bool lost_host = false;                      // the host was lost, and a retry may help
  bool lacks_program = false;
  bool not_placed = false;  // the prepared files stay in out/NAME
};

/// Prepares pieces on a host, several at a time, but no piece twice. Running programs are told to
/// end when the runner is destroyed, and when the link to the host breaks. Use it from one thread.
class PieceRunner {
 public:
  /// Receives the files that a piece wrote before they are moved to the destination; throws Error
  /// if they must not be there.
  using Check = std::function<void(std::size_t piece, const std::vector<std::string>& made)>;

  /// Refers to the host and the pieces, which must outlive it.
  PieceRunner(
      const Host& host, const std::vector<Piece>& pieces, PieceProgram program,
      Check check = [](std::size_t, const std::vector<std::string>&) {})
      : host_(host), pieces_(pieces), program_(std::move(program)), check_(std::move(check)) {}

  /// Adds a piece, whose files are in the folder, to the pieces to prepare.
  void add(std::size_t piece) { waiting_.push_back(piece); }
  /// Starts what can start, and records what has ended. Waits for at most 10 ms if `may_wait`.
  void pump(bool may_wait = false);
  bool is_idle() const { return waiting_.empty() && running_.empty(); }
  /// Returns the pieces that ended since the last call.
  std::vector<EndedPiece> take_ended() { return std::exchange(ended_, {}); }

 private:
  struct Running {
    std::size_t piece = 0;
    MonotonicNs begin = 0;
    RunningCommand command;
    std::string said;
    bool may_place = false;
  };
  void start(std::size_t piece);
  void hear(Running& running) const;
  EndedPiece end_of(const Running& running) const;
  Reason failure_of(const Running& running) const;
  std::vector<std::string> arguments_for(const Piece& piece) const;

  const Host& host_;
  const std::vector<Piece>& pieces_;
  PieceProgram program_;
  Check check_;
  std::deque<std::size_t> waiting_;
  std::vector<Running> running_;
  std::vector<EndedPiece> ended_;
};

/// Returns the text with each of these names replaced by its value.
std::string with_places(std::string_view text,
                        const std::vector<std::pair<std::string, std::string>>& by);

/// Throws Error (usage) unless the program has {in} and {out} among its words.
void check_preparation(const std::vector<std::string>& program);

}  // namespace lapcast
