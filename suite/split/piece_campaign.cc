#include "suite/split/piece_campaign.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "suite/split/pieces.h"

namespace lapcast {
namespace {

// A machine gets no more pieces after so many runs in a row that failed by themselves, and that
// something else ended.
constexpr int kMostFailures = 3;
constexpr int kMostCutOff = 8;
constexpr int kMostOnOneMachine = 2;  // failures of a piece, while there are other machines

/// Returns whether something outside of the program ended the run: a kill, or a lost machine.
bool is_cut_off(const Outcome& outcome) {
  const auto* crashed = std::get_if<outcome::Crashed>(&outcome);
  if (crashed == nullptr) return !std::holds_alternative<outcome::NotStarted>(outcome);
  return crashed->signal == SIGKILL || crashed->signal == SIGTERM || crashed->signal == SIGINT ||
         crashed->signal == SIGHUP;
}

class PiecePolicy : public CampaignPolicy {
 public:
  PiecePolicy(Campaign& campaign, PieceWork work)
      : campaign_(campaign),
        work_(std::move(work)),
        pieces_(work_.pieces),
        running_(campaign.requests().size()) {
    for (const std::size_t piece : work_.done) pieces_[piece].is_done = true;
    for (const auto& [piece, run] : work_.under_way) pieces_[piece].under_way = run;
    for (const ProbeRequest& request : campaign.requests())
      machines_[request.context.machine_type.name];
  }

  void start_what_can_run() override {
    if (campaign_.was_interrupted()) return;
    for (Index i = 0; i < running_.size(); ++i) {
      if (running_[i] || !is_usable(machine_of(i)) || !campaign_.may_run(i)) continue;
      if (const auto piece = next_for(machine_of(i))) start(i, *piece);
    }
  }

  void take_run(Index i, const Run& run) override {
    Piece& piece = pieces_[*std::exchange(running_[i], std::nullopt)];
    piece.is_running = false;
    if (!std::holds_alternative<outcome::Interrupted>(run.outcome))
      take_end(piece, machine_of(i), run);
    campaign_.show(run);
  }

  CampaignProgress progress() const override {
    CampaignProgress progress{.total = pieces_.size()};
    for (const Piece& piece : pieces_) {
      progress.done += piece.is_done ? 1 : 0;
      progress.failed += is_lost(piece) ? 1 : 0;
    }
    const std::size_t left = progress.total - progress.done - progress.failed;
    const auto at_once = static_cast<double>(std::max<std::size_t>(campaign_.running().size(), 1));
    if (times_.count > 0)
      progress.eta = times_.or_else(Seconds{0}) * static_cast<double>(left) / at_once;
    for (const auto& [ticket, i] : campaign_.running())
      progress.running.push_back(campaign_.under_way(i));
    return progress;
  }

  PieceEnds ends() const {
    PieceEnds ends{.interrupted = campaign_.was_interrupted()};
    for (const auto& [name, machine] : machines_)
      if (!machine.why_given_up.empty()) ends.given_up[name] = machine.why_given_up;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      if (piece.is_done) continue;
      ends.reasons[i] = !piece.reason.empty() ? piece.reason
                        : ends.interrupted    ? "interrupted"
                                              : "there is no machine left that counts it";
    }
    return ends;
  }

 private:
  struct Piece {
    bool is_done = false;
    bool is_running = false;
    std::size_t tries = 0;                   // that failed
    std::map<std::string, int> failed = {};  // by machine type
    std::string reason = {};                 // of the last one
    std::optional<PieceUnderWay> under_way = {};
  };
  struct Machine {
    int failed_in_row = 0;
    std::string why_given_up = {};
  };

  const std::string& machine_of(Index i) const {
    return campaign_.requests()[i].context.machine_type.name;
  }
  bool is_usable(const std::string& machine) const {
    const auto known = machines_.find(machine);
    return known != machines_.end() && known->second.why_given_up.empty();
  }
  bool has_another(const std::string& machine) const {
    return std::ranges::any_of(machines_, [&](const auto& other) {
      return other.first != machine && other.second.why_given_up.empty();
    });
  }
  bool is_lost(const Piece& piece) const { return !piece.is_done && piece.tries >= work_.tries; }

  static int failures_on(const Piece& piece, const std::string& machine) {
    const auto known = piece.failed.find(machine);
    return known == piece.failed.end() ? 0 : known->second;
  }

  bool waits_for(const Piece& piece, const std::string& machine) const {
    if (piece.is_done || piece.is_running || is_lost(piece)) return false;
    if (piece.under_way && piece.under_way->machine_type != machine &&
        is_usable(piece.under_way->machine_type))
      return false;
    return failures_on(piece, machine) < kMostOnOneMachine || !has_another(machine);
  }

  /// Returns the piece that the machine does next: one that is under way on it, else one that
  /// failed on it least often.
  std::optional<std::size_t> next_for(const std::string& machine) const {
    std::optional<std::tuple<bool, int, std::size_t>> best;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      if (!waits_for(piece, machine)) continue;
      const std::tuple key{!piece.under_way, failures_on(piece, machine), i};
      if (!best || key < *best) best = key;
    }
    return best ? std::optional(std::get<std::size_t>(*best)) : std::nullopt;
  }

  void start(Index i, std::size_t index) {
    Piece& piece = pieces_[index];
    const auto under_way = std::exchange(piece.under_way, std::nullopt);
    RunContext& context = campaign_.request(i).context;
    context.id = under_way && under_way->machine_type == machine_of(i) ? under_way->run : new_id();
    context.settings[kPieceSetting] = piece_text(index, pieces_.size());
    piece.is_running = true;
    running_[i] = index;
    campaign_.start(i);
  }

  void take_end(Piece& piece, const std::string& name, const Run& run) {
    Machine& machine = machines_[name];
    const Result<double> value = work_.value(run);
    if (value) {
      piece.is_done = true;
      machine.failed_in_row = 0;
      times_.add(run.wall());
      return;
    }
    piece.reason = value.error().text;
    ++piece.tries;
    ++piece.failed[name];
    ++machine.failed_in_row;
    if (machine.failed_in_row >= (is_cut_off(run.outcome) ? kMostCutOff : kMostFailures))
      machine.why_given_up = piece.reason;
  }

  Campaign& campaign_;
  PieceWork work_;
  std::vector<Piece> pieces_;
  std::vector<std::optional<std::size_t>> running_;  // the piece of each request
  std::map<std::string, Machine> machines_;          // by machine type
  MeanTime times_;                                   // of the pieces that were done
};

}  // namespace

PieceEnds run_pieces(PieceWork work, CampaignTools tools) {
  Campaign campaign(std::exchange(work.requests, {}), std::move(tools));
  PiecePolicy policy(campaign, std::move(work));
  campaign.run(policy);
  return policy.ends();
}

}  // namespace lapcast
