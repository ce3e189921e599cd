#include "app/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/units.h"
#include "fleet/node_type_machines.h"
#include "posix/program_file.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"
#include "remote/slurm_queue.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

struct CatalogText {
  std::string file;
  std::string csv;
};

std::vector<std::string> csv_files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<CatalogText> catalogs_in(const std::vector<std::string>& files) {
  std::vector<CatalogText> catalogs;
  for (const std::string& file : files) catalogs.push_back({file, read_file(file, "catalog")});
  return catalogs;
}

/// Returns the catalogs of $LAPCAST_CATALOG, else those installed beside the binary, else those
/// that are part of the binary.
std::vector<CatalogText> default_catalogs() {
  std::vector<std::string> files;
  if (const char* folder = std::getenv("LAPCAST_CATALOG")) files = csv_files_in(folder);
  if (files.empty()) files = csv_files_in(own_binary().parent_path() / "../share/lapcast/catalog");
  if (!files.empty()) return catalogs_in(files);
  std::vector<CatalogText> catalogs;
  for (const ShippedCatalog& shipped : shipped_catalogs())
    catalogs.push_back({std::string(shipped.file), std::string(shipped.csv)});
  return catalogs;
}

}  // namespace

std::string read_file(const std::string& file, const std::string& what) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw Error(ExitCode::bad_input, fmt::format("the {} {} is a folder", what, printable(file)));
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || stream.bad())
    throw Error(ExitCode::bad_input, fmt::format("cannot read the {} {}", what, printable(file)));
  return text.str();
}

Fleet read_fleet_file(const std::string& file) {
  return parse_fleet(read_file(file, "fleet file"), file);
}

Fleet with_nodes(const Fleet& fleet) {
  return with_node_types(fleet, node_types);
}

CatalogOffers read_catalogs(const std::vector<std::string>& files) {
  CatalogOffers result;
  const std::string now = utc_now().substr(0, 10);
  for (const auto& [file, csv] : files.empty() ? default_catalogs() : catalogs_in(files)) {
    const Catalog catalog = parse_catalog(csv, file, today());
    for (const RejectedRow& row : catalog.rejected)
      result.warnings.push_back(
          fmt::format("{}:{}: {}; row left out", printable(file), row.line, row.reason.text));
    std::size_t old = 0;
    for (const Offer& offer : catalog.offers) old += is_old(offer, now) ? 1 : 0;
    if (old > 0 && !files.empty())
      result.warnings.push_back(fmt::format("{}: {} of {} prices are older than a year",
                                            printable(file), old, catalog.offers.size()));
    result.offers.insert(result.offers.end(), catalog.offers.begin(), catalog.offers.end());
  }
  return result;
}

}  // namespace lapcast
