#include "suite/split/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "campaign/measuring_session.h"
#include "campaign/rent_plan.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "machine/place.h"
#include "query/program_content.h"
#include "query/sweep_state.h"
#include "remote/remote_request.h"
#include "suite/split/piece_campaign.h"

namespace lapcast {
namespace {

/// Returns the runs of the set that a killed command left on their machines.
std::map<std::size_t, PieceUnderWay> pieces_under_way(const Store& store, const std::string& set,
                                                      std::size_t pieces) {
  std::map<std::size_t, PieceUnderWay> found;
  for (const PendingRun& pending_run : store.pending_runs()) {
    if (pending_run.sweep != set || pending_run.purpose == kRemoval) continue;
    const Result<RemoteRequest> request = remote_request_from_json(pending_run.request);
    if (!request) continue;
    const RunContext& context = request->probe.context;
    if (const auto piece = piece_of(context, pieces))
      found[*piece] = {context.machine_type.name, pending_run.id};
  }
  return found;
}

Result<double> solutions_of(const Run& run) {
  const Result<QueensResult> result = queens_result(run);
  if (!result) return tl::unexpected(result.error());
  return static_cast<double>(result->solutions);
}

class Splitter {
 public:
  Splitter(const SplitPlan& plan, const MeasuringTools& tools)
      : plan_(plan),
        request_(plan.request),
        tools_(tools),
        session_(tools, tools.lock(plan.key, request_.subject), request_.sweep.probe.run_parent) {}

  SplitResult run() {
    const SweepRequest& sweep = request_.sweep;
    Sweep set = session_.begin({.key = plan_.key,
                                .fleet_file = "",
                                .subject = request_.subject,
                                .folder = sweep.probe.context.working_dir,
                                .name = "",
                                .program = program_content(plan_.sweep.candidates),
                                .again = sweep.again,
                                .keep = sweep.keep},
                               request_.subject);
    SplitResult result{.set = set.id, .count = counted(set)};
    const std::size_t done = result.count.done();
    if (done < request_.pieces) {
      if (done > 0) session_.say(going_on(set, done));
      const PieceEnds ends = count_the_rest(set, result.count);
      result.count = counted(set);
      for (const auto& [piece, reason] : ends.reasons) result.count.pieces[piece].reason = reason;
      result.given_up = ends.given_up;
      result.interrupted = ends.interrupted;
    }
    session_.save(set, result.count.done() == request_.pieces);
    return result;
  }

 private:
  SplitCount counted(const Sweep& set) const {
    return merge_pieces(session_.runs_of(set), request_.pieces);
  }

  std::string going_on(const Sweep& set, std::size_t done) const {
    return fmt::format(
        "{}: going on with set {}: {} of {} pieces are counted; --again begins a new "
        "set",
        request_.subject, set.id, done, request_.pieces);
  }

  PieceEnds count_the_rest(const Sweep& set, const SplitCount& before) const {
    PieceWork work{.requests = requests(set),
                   .pieces = request_.pieces,
                   .under_way = pieces_under_way(tools_.store, set.id, request_.pieces),
                   .value = solutions_of,
                   .tries = request_.tries};
    for (const PieceResult& piece : before.pieces)
      if (piece.is_done()) work.done.insert(piece.piece);
    tools_.listener.start({"counting", request_.pieces, work.done.size()});
    PieceEnds ends = run_pieces(std::move(work), tools_.campaign());
    tools_.listener.end();
    return ends;
  }

  /// Returns a request for each piece that a machine may have at a time. Says which machines cannot
  /// count.
  std::vector<ProbeRequest> requests(const Sweep& set) const {
    std::vector<ProbeRequest> all;
    for (const RunContext& candidate : plan_.sweep.candidates) {
      if (const Reason* reason = why_impossible(plan_.sweep, candidate)) {
        tools_.listener.warn(
            fmt::format("{}: {}", printable(candidate.machine_type.name), reason->text));
        continue;
      }
      RunContext context = candidate;
      context.kind = RunKind::full;
      context.sweep = set.id;
      const ProbeRequest request = probe_of(request_.sweep, plan_.sweep.fleet, std::move(context));
      const std::size_t at_once = is_queued(request.place_setup.place) ? request_.queued : 1;
      all.insert(all.end(), at_once, request);
    }
    return all;
  }

  const SplitPlan& plan_;
  const SplitRequest& request_;
  const MeasuringTools& tools_;
  MeasuringSession session_;
};

void refuse_several_nodes(const Fleet& fleet) {
  for (const FleetMachine& machine : fleet.machines)
    if (nodes_of(machine.place_setup.place) > 1)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has several nodes, and a piece is counted on one: give each "
                              "node a [[machine]] of its own",
                              printable(machine.type.name)));
}

/// Returns a key of the program and its settings alone: machines may come and go.
std::string key_of_split(const SweepRequest& sweep) {
  ProbeRequest bare;
  bare.context.program = sweep.probe.context.program;
  for (const auto& [name, values] : sweep.values) bare.context.settings[name] = values.front();
  return "split " + fingerprint({bare});
}

}  // namespace

SplitPlan plan_split(SplitRequest request) {
  SweepRequest& sweep = request.sweep;
  sweep.probe.limits.to_the_end = true;
  sweep.values[kPieceSetting] = {piece_text(0, request.pieces)};
  SplitPlan plan{.request = std::move(request), .sweep = {}, .key = ""};
  plan.key = key_of_split(plan.request.sweep);
  plan.sweep = plan_sweep(plan.request.sweep);
  refuse_rented(plan.sweep.fleet, "suite split");
  refuse_several_nodes(plan.sweep.fleet);
  return plan;
}

SplitResult run_split(const SplitPlan& plan, const MeasuringTools& tools) {
  return Splitter(plan, tools).run();
}

}  // namespace lapcast
