#pragma once

#include <span>
#include <string>
#include <vector>

#include "choose/assessment.h"
#include "cli/globals.h"
#include "fleet/fleet_file.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Which runs a ranking is made from.
struct Selection {
  std::string sweep;  // --sweep ID; empty = the newest sweep, or, without any, all runs
  bool all = false;   // --all: every run in the store
  std::vector<std::string> offer_files;  // --offers

  void add_to(CLI::App& app);
};

/// The runs of a selection and all that is known beside them.
struct Selected {
  std::vector<Run> runs;    // of every kind
  std::vector<Run> probes;  // one of each candidate, in order of name; of several the one with
                            // the shortest forecast; imported runs are among them
  std::vector<Offer> offers;
  LearnedBySettings learned;
};

/// Error when there is nothing to select from. A catalog's rejected rows and old prices become
/// warnings on stderr.
Selected select(const Globals& globals, const Selection& selection);

/// The offers of catalog files; without files, of the catalogs that are installed with lapcast.
std::vector<Offer> load_offers(const std::vector<std::string>& files);

/// A fleet file as it is written.
Fleet read_fleet_file(const std::string& file);
/// Its entries for every node type replaced by their machines, as the clusters say now.
Fleet with_nodes(const Fleet& fleet);

/// The whole of a file; Error (bad input) that calls it `what` when it cannot be read.
std::string read_file(const std::string& file, const std::string& what);

}  // namespace lapcast
