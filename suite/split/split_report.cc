#include "suite/split/split_report.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

std::string in_words(int n, const SplitResult& result) {
  const SplitCount& count = result.count;
  const std::size_t pieces = count.pieces.size();
  if (count.done() < pieces)
    return fmt::format(
        "{} of {} pieces of the {} x {} board are counted; the same command counts "
        "the others",
        count.done(), pieces, n, n);
  const std::int64_t solutions = count.solutions();
  const bool known = known_solutions(n) == solutions;
  return fmt::format("{} solutions of the {} x {} board, counted in {} pieces on {}{}", solutions,
                     n, n, pieces, counted(count.machines(), "machine"),
                     known ? ": as known" : fmt::format("; known are {}", *known_solutions(n)));
}

Table sum_table(int n, const SplitResult& result) {
  const SplitCount& count = result.count;
  const bool whole = count.done() == count.pieces.size();
  const auto of_whole = [&](auto value) { return whole ? cell_of(value) : Cell(); };
  Table table = figure_table(
      "split", "N-Queens in pieces",
      {{"set", "set", result.set},
       {"n", "N", cell_of(n)},
       {"solutions", "solutions", of_whole(count.solutions())},
       {"known_solutions", "known solutions", cell_of(known_solutions(n)), "OEIS A000170"},
       {"as_known", "as known", of_whole(known_solutions(n) == count.solutions())},
       {"nodes", "nodes", of_whole(static_cast<std::int64_t>(count.nodes()))},
       {"pieces", "pieces", cell_of(count.pieces.size())},
       {"counted", "of them counted", cell_of(count.done())},
       {"tries", "tries", cell_of(count.tries())},
       {"machines", "machines", cell_of(count.machines())},
       {"time_s", "time of the runs that count", count.time()},
       {"lost_s", "time of other runs", count.lost, "killed, failed, or counted before"},
       {"cpu_s", "CPU time of the runs that count", count.cpu()},
       {"lost_cpu_s", "CPU time of other runs", count.lost_cpu}});
  table.answer = {in_words(n, result)};
  for (const auto& [machine, reason] : result.given_up)
    table.warnings.push_back(
        fmt::format("{} got no more pieces, because runs on it failed one "
                    "after the other: {}",
                    printable(machine), reason));
  return table;
}

}  // namespace

std::vector<Table> split_tables(int n, const SplitResult& result) {
  const auto of_run = [](auto value) {
    return [value](const PieceResult& piece) { return cell_if(piece.result, value); };
  };
  Table pieces = table_of<PieceResult>(
      "split_pieces", "Pieces",
      {{"piece", "piece", [](const PieceResult& piece) { return piece.piece + 1; }},
       {"machine_type", "machine",
        [](const PieceResult& piece) { return text_cell(piece.machine); }},
       {"time_s", "time", [](const PieceResult& piece) { return time_or_nothing(piece.time); }},
       {"tries", "tries", &PieceResult::tries},
       {"solutions", "solutions", of_run(&QueensResult::solutions)},
       {"nodes", "nodes",
        of_run([](const QueensResult& one) { return static_cast<std::int64_t>(one.nodes); }),
        spare(1)},
       {"run", "run", [](const PieceResult& piece) { return text_cell(piece.run); }, spare(2)},
       {"reason", "why not", [](const PieceResult& piece) { return text_cell(piece.reason); },
        kOptional}},
      result.count.pieces);
  return {sum_table(n, result), std::move(pieces)};
}

}  // namespace lapcast
