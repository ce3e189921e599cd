#include "cli/selection.h"

#include <CLI/CLI.hpp>

#include <utility>

#include "cli/console.h"

namespace lapcast {

void add_selection_to(CLI::App& app, RunSelection& selection) {
  auto* id =
      app.add_option("--sweep", selection.sweep, "a sweep by its id [the newest]")->type_name("ID");
  app.add_flag("--all", selection.all, "all runs in the store, of any sweep or none")->excludes(id);
  app.add_option("--offers", selection.offer_files,
                 "catalog of prices (docs/catalog.md), beside the fleet's")
      ->type_name("FILE.csv")
      ->take_all();
}

void warn(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) say("warning: {}", line);
}

std::vector<Offer> load_offers(const std::vector<std::string>& files) {
  CatalogOffers catalogs = read_catalogs(files);
  warn(catalogs.warnings);
  return std::move(catalogs.offers);
}

}  // namespace lapcast
