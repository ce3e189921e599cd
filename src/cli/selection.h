#pragma once

#include <string>
#include <vector>

#include "app/input_files.h"
#include "app/rank_runs.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Adds --sweep, --all and --offers.
void add_selection_to(CLI::App& app, RunSelection& selection);

/// Returns the offers of catalogs, by read_catalogs(), and prints its warnings on stderr.
std::vector<Offer> load_offers(const std::vector<std::string>& files);

/// Prints each line as a warning on stderr.
void warn(const std::vector<std::string>& lines);

}  // namespace lapcast
