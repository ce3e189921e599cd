#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "extrapolate/own_programs.h"
#include "history/learned_epochs.h"
#include "price/offer.h"
#include "price/quote.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Says which stored runs count, and which prices.
struct RunSelection {
  std::string sweep;   // its name, id or the first digits of it; empty = the newest sweep of the
                       // folder, else of all, or all runs if there is none
  std::string folder;  // of the user
  bool all = false;    // every run in the store, of any sweep
  std::string named;   // only these runs, in the format of runs_named(); empty = as above
  std::vector<std::string> offer_files;  // catalogs besides the prices that the runs carry
  std::string own_prices = {};           // in the format of read_own_prices()
  bool no_catalog = false;  // leaves machines without a price, whatever the catalogs say
};

/// Returns the id of the sweep of that name, or whose id starts with it; the text itself if there
/// is none, because imported runs may belong to a sweep that the store does not have.
std::string sweep_named(const Store& store, const std::string& id_or_name);

/// Returns the id of the sweep that is selected; empty for all runs.
std::string selected_sweep(const Store& store, const RunSelection& selection);

struct SelectedRuns {
  std::optional<Sweep> sweep;  // to which they belong
  std::vector<Run> runs;       // of every kind
  std::vector<Run> probes;     // one of each candidate, in order of name: rather a measured than an
                               // imported one, and of several the one with the most laps
  std::vector<Offer> offers;
  LearnedBySettings learned;
  /// Says what machines do before a training, by machine type; only if it was asked for.
  std::map<std::string, BeforeTraining> before = {};
  /// Holds the user's other programs (own_programs()); only if it was asked for.
  std::vector<OwnProgram> own_programs = {};
  std::vector<std::string> warnings;     // about the catalogs
  std::vector<std::string> price_notes;  // for people: where prices come from, how old they are
};

/// Returns the runs of the selection, which may have no probe. Throws Error (bad input) for a
/// catalog that cannot be read.
SelectedRuns runs_of(const Store& store, const RunSelection& selection);

/// Returns runs_of() the selection. Throws Error (some_failed) if they have no probe.
SelectedRuns select_runs(const Store& store, const RunSelection& selection);

/// Decides which of several probes of the same work is used: a measured run before an imported one,
/// then one with more laps, then the later one. The laps of all of them count in the forecast,
/// which takes init and validation from this one. The runs must outlive it.
class BetterSource {
 public:
  bool is_better(const Run& later, const Run& earlier);

 private:
  std::size_t laps(const Run& run);
  std::map<const Run*, std::size_t> laps_;  // of the runs compared so far
};

}  // namespace lapcast
