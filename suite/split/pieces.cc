#include "suite/split/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

namespace lapcast {
namespace {

/// Returns the sum of value(piece) over the pieces that are counted.
template <class Sum, class Value>
Sum sum_of(const std::vector<PieceResult>& pieces, Sum zero, Value value) {
  return std::accumulate(pieces.begin(), pieces.end(), zero,
                         [&](Sum sum, const PieceResult& piece) {
                           return piece.is_done() ? sum + value(piece) : sum;
                         });
}

Seconds cpu_of(const Run& run) {
  return run.usage.user + run.usage.system;
}

}  // namespace

std::string piece_text(std::size_t piece, std::size_t pieces) {
  return fmt::format("{}/{}", piece + 1, pieces);
}

std::optional<std::size_t> piece_of(const RunContext& context, std::size_t pieces) {
  const auto setting = context.settings.find(kPieceSetting);
  if (setting == context.settings.end()) return std::nullopt;
  const std::string& text = setting->second;
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number < 1 || number > pieces || text != piece_text(number - 1, pieces)) return std::nullopt;
  return number - 1;
}

std::size_t SplitCount::done() const {
  return sum_of(pieces, std::size_t{0}, [](const PieceResult&) { return std::size_t{1}; });
}

std::size_t SplitCount::tries() const {
  return std::accumulate(
      pieces.begin(), pieces.end(), std::size_t{0},
      [](std::size_t sum, const PieceResult& piece) { return sum + piece.tries; });
}

std::size_t SplitCount::machines() const {
  std::set<std::string> names;
  for (const PieceResult& piece : pieces)
    if (piece.is_done()) names.insert(piece.machine);
  return names.size();
}

std::int64_t SplitCount::solutions() const {
  return sum_of(pieces, std::int64_t{0},
                [](const PieceResult& piece) { return piece.result->solutions; });
}

double SplitCount::nodes() const {
  return sum_of(pieces, 0.0, [](const PieceResult& piece) { return piece.result->nodes; });
}

Seconds SplitCount::time() const {
  return sum_of(pieces, Seconds{0}, [](const PieceResult& piece) { return piece.time; });
}

Seconds SplitCount::cpu() const {
  return sum_of(pieces, Seconds{0}, [](const PieceResult& piece) { return piece.cpu; });
}

SplitCount merge_pieces(std::span<const Run> runs, std::size_t pieces) {
  SplitCount count;
  for (std::size_t i = 0; i < pieces; ++i)
    count.pieces.push_back({.piece = i, .reason = "it was not begun"});
  for (const Run& run : runs) {
    const auto index = piece_of(run.context, pieces);
    if (!index) continue;
    PieceResult& piece = count.pieces[*index];
    ++piece.tries;
    const Result<QueensResult> result = queens_result(run);
    if (result && !piece.is_done()) {
      piece.result = *result;
      piece.machine = run.context.machine_type.name;
      piece.run = run.context.id;
      piece.time = run.wall();
      piece.cpu = cpu_of(run);
      piece.reason.clear();
      continue;
    }
    count.lost += run.wall();
    count.lost_cpu += cpu_of(run);
    if (!result && !piece.is_done()) piece.reason = result.error().text;
    if (result && result->solutions != piece.result->solutions && count.why_not.empty())
      count.why_not = fmt::format("runs {} and {} of piece {} found {} and {} solutions", piece.run,
                                  run.context.id, piece_text(*index, pieces),
                                  piece.result->solutions, result->solutions);
  }
  return count;
}

}  // namespace lapcast
