#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "suite/papers/paper_table.h"

namespace lapcast {

/// Holds one figure of a paper's table: the printed value, and the one that lapcast computes from
/// the other figures of the paper.
struct PaperCell {
  std::string table;  // "5.13"; the number of a section for figures of the text
  std::string place;  // "page 59", "section 6.3"
  std::string row;    // "p2.xlarge batch 256"
  std::string quantity;
  std::string unit;                // "s", "USD", "percent", "ratio", "count" ...
  std::optional<Printed> printed;  // nullopt = derived by lapcast, and not printed in the paper
  Interval<double> recomputed;     // the bounds follow from the rounding of its inputs
  std::string reason;  // why a slip does not follow, or how an unprinted figure is derived
};

enum class CellVerdict {
  agrees,   // values that round to the printed inputs give one that rounds to the printed figure
  slip,     // it does not follow, and slips.csv says why
  off,      // it does not follow, for an unknown reason; or a listed slip follows after all
  derived,  // the paper does not print it
};
std::string_view to_string(CellVerdict verdict);
CellVerdict verdict_of(const PaperCell& cell);

/// Says what a strategy's column of a paper picks, and how good that is by the real column.
struct PaperPick {
  std::string table;
  std::string place;
  std::string setting;   // "seismic-fcn batch 512"
  std::string strategy;  // "5 epochs", "5 epochs with validation", "first iteration"
  std::string objective;
  std::vector<std::string> picks;  // several if the printed digits do not tell which is best
  std::string best;                // by the real column
  double regret = 0;               // of the last pick, the worst by the real column
  double least_regret = 0;         // of the first pick
  /// Returns whether no pick is worse than the best.
  bool is_right() const { return regret == 0; }
  /// Returns whether every pick is worse than the best.
  bool is_wrong() const { return least_regret > 0; }
};

struct MachineValue {
  std::string machine_type;
  double value = 0;
  double real = 0;
};
/// Fills in the picks of a column: the machines with the smallest value. Throws Error (bad input)
/// if there is none.
void choose_pick(PaperPick& pick, const std::vector<MachineValue>& column);

/// Describes a system on which a paper trained, as far as it is printed.
struct PaperSystem {
  std::string place;
  std::string name;
  std::string processor;
  std::optional<Printed> cores = {};
  std::optional<Printed> clock = {};  // GHz
  std::string gpu = {};
  std::optional<Printed> gpus = {};
  std::optional<Printed> minutes = {};            // of the whole training; nullopt = only drawn
  std::string figure = {};                        // number of the one that draws it
  std::optional<Interval<double>> speed_up = {};  // over the first system
  std::optional<Interval<double>> linear_expectation = {};  // minutes by cores x clock of the first
};

struct PaperStudy {
  std::string name;   // "malta"
  std::string title;  // with author and year
  std::vector<PaperCell> cells;
  std::vector<PaperPick> picks;
  std::vector<PaperSystem> systems = {};
  std::vector<std::string> notes;        // what cannot be recomputed from the paper
  std::vector<std::string> stale_slips;  // listed slips that match no cell
};

/// Returns whether any figure is off without being listed as a slip.
bool is_off(const PaperStudy& study);

/// Holds the figures of a file with the columns table, place, row, quantity, printed and unit.
class PaperFacts {
 public:
  explicit PaperFacts(std::string_view csv) : rows_(paper_rows(csv)) {}
  /// Returns the printed number of that row and quantity. Throws Error (bad input) without one.
  Printed operator()(std::string_view row, std::string_view quantity) const;
  /// Returns the printed number of that row and quantity; nullopt if the paper does not print it.
  std::optional<Printed> find_if(std::string_view row, std::string_view quantity) const;
  /// Returns the cell of that row and quantity with the recomputed value.
  PaperCell cell(std::string_view row, std::string_view quantity,
                 const Interval<double>& recomputed) const;

 private:
  const PaperRow* find_row(std::string_view row, std::string_view quantity) const;
  const PaperRow& find(std::string_view row, std::string_view quantity) const;
  std::vector<PaperRow> rows_;
};

// Each of these functions returns a paper without its slips, which study_named() adds.
PaperStudy carneiro_study();
PaperStudy kunas_study();
PaperStudy lawrence_study();
PaperStudy malta_study();
PaperStudy review_study();

/// Returns the names of the papers: "carneiro", "kunas", "malta", "review", "lawrence".
std::vector<std::string> paper_names();
/// Returns the paper of that name with its slips. Throws Error (usage) that lists the names.
PaperStudy study_named(std::string_view name);
/// Marks the cells of a study that slips.csv, or another file of its format, lists for it.
void mark_slips(PaperStudy& study, std::string_view slips);

}  // namespace lapcast
