#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history/learned_epochs.h"
#include "price/offer.h"
#include "price/quote.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Says which stored runs count, and which prices.
struct RunSelection {
  std::string sweep;   // its name, id or the first digits of it; empty = the newest sweep of the
                       // folder, else of all, or all runs where there is none
  std::string folder;  // of the user
  bool all = false;    // every run in the store, of any sweep
  std::string named;   // only these runs, as runs_named() takes them; empty = as above
  std::vector<std::string> offer_files;  // catalogs beside the prices that the runs carry
  std::string own_prices = {};           // as read_own_prices() takes it
  bool no_catalog = false;  // leaves machines without a price, whatever the catalogs say
};

/// Returns the id of the sweep of that name, or whose id starts like that; the text itself when
/// there is none, because imported runs may belong to a sweep that the store does not have.
std::string sweep_named(const Store& store, const std::string& id_or_name);

/// Returns the id of the sweep that is selected; empty for all runs.
std::string selected_sweep(const Store& store, const RunSelection& selection);

/// Holds the runs of a selection and what is known beside them.
struct SelectedRuns {
  std::optional<Sweep> sweep;  // that they belong to
  std::vector<Run> runs;       // of every kind
  std::vector<Run> probes;     // one of each candidate, in order of name: measured before imported
                               // ones, and of several the one with the most laps
  std::vector<Offer> offers;
  LearnedBySettings learned;
  /// Gives what machines do before a training, by machine type; only where it was asked for.
  std::map<std::string, BeforeTraining> before = {};
  std::vector<std::string> warnings;     // about the catalogs
  std::vector<std::string> price_notes;  // for people: where prices come from, how old they are
};

/// Returns the runs of the selection, perhaps without a probe. Throws Error (bad input) for a
/// catalog that cannot be read.
SelectedRuns runs_of(const Store& store, const RunSelection& selection);

/// Returns runs_of() the selection. Throws Error (some_failed) when they have no probe.
SelectedRuns select_runs(const Store& store, const RunSelection& selection);

/// Tells which of several probes of the same work stands for it: a measured run rather than an
/// imported one, then one with more laps, then the later one. The laps of all of them count in the
/// forecast, which takes init and validation from this one. The runs must outlive it.
class BetterSource {
 public:
  bool is_better(const Run& later, const Run& earlier);

 private:
  std::size_t laps(const Run& run);
  std::map<const Run*, std::size_t> laps_;  // of the runs that were asked for
};

}  // namespace lapcast
