#include "query/input_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "core/units.h"
#include "fleet/slurm_fleet.h"
#include "fleet/worker_gpus.h"
#include "posix/files.h"
#include "posix/gzip_file.h"
#include "posix/spawn.h"
#include "price/catalog.h"
#include "price/odd_prices.h"
#include "price/own_prices_file.h"
#include "probe/ids_and_time.h"
#include "query/current_offers.h"
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
  for (const std::string& file : files)
    catalogs.push_back({file, decompressed(read_file(file, "catalog"), file, kMostData)});
  return catalogs;
}

/// Returns the catalogs in the folder of LAPCAST_CATALOG.
std::vector<std::string> named_catalog_files() {
  const char* const folder = std::getenv("LAPCAST_CATALOG");
  return folder == nullptr ? std::vector<std::string>() : csv_files_in(folder);
}

constexpr const char* kInBinary = "papers.csv";  // the catalog that is part of the binary

/// Returns the catalogs of default_catalog_files().
std::vector<CatalogText> default_catalogs() {
  const std::vector<std::string> files = default_catalog_files();
  if (files.front() == kInBinary) return {{kInBinary, std::string(papers_catalog())}};
  return catalogs_in(files);
}

std::string day_of(fs::file_time_type time) {
  using namespace std::chrono;
  return utc_text(floor<seconds>(file_clock::to_sys(time))).substr(0, 10);
}

}  // namespace

std::string in_config_folder(std::string_view name) {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  if (config != nullptr && *config != '\0') return fmt::format("{}/{}", config, name);
  if (home != nullptr && *home != '\0') return fmt::format("{}/.config/{}", home, name);
  return {};
}

std::string read_file(const std::string& file, const std::string& what, std::size_t most) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::bad_input, fmt::format(fmt::runtime(why), what, printable(file)));
  };
  const FileDescriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (!opened.is_open() || fstat(opened.get(), &info) != 0) refuse("cannot read the {} {}");
  if (S_ISDIR(info.st_mode)) refuse("the {} {} is a folder");
  std::string text;
  const bool is_large = S_ISREG(info.st_mode) && static_cast<std::uintmax_t>(info.st_size) > most;
  // Devices and pipes report no size: their bytes are counted as they arrive.
  while (!is_large && text.size() <= most && read_available(opened.get(), text, most + 1)) {
    pollfd readable{opened.get(), POLLIN, 0};
    if (text.size() <= most) poll(&readable, 1, -1);
  }
  if (is_large || text.size() > most)
    refuse("the {} {} is larger than " + format_bytes(static_cast<std::int64_t>(most)) +
           ", and not read");
  if (errno != 0) refuse("cannot read the {} {}");
  return text;
}

Fleet read_fleet_file(const std::string& file, const std::string& name) {
  const std::string toml = read_file(file, "fleet file", kMostWritten);
  std::error_code unknown;
  const auto changed = fs::last_write_time(file, unknown);
  return parse_fleet(toml, name.empty() ? file : name, unknown ? "" : day_of(changed));
}

std::vector<std::string> default_catalog_files() {
  std::vector<std::string> files = named_catalog_files();
  if (files.empty())
    files = csv_files_in(own_binary().parent_path().parent_path() / "share/lapcast/catalog");
  if (files.empty()) files.emplace_back(kInBinary);
  return files;
}

Fleet with_nodes(const Fleet& fleet) {
  return with_node_types(fleet, node_types);
}

OwnPrices read_own_prices(const std::string& named) {
  std::string file = named;
  if (const char* usual = std::getenv("LAPCAST_PRICES"); file.empty() && usual != nullptr)
    file = usual;
  if (!file.empty())
    return parse_own_prices(read_file(file, "file of own prices", kMostWritten), file, today());
  file = in_config_folder("lapcast-prices.toml");
  std::error_code absent;
  if (file.empty() || !fs::is_regular_file(file, absent)) return {};
  return parse_own_prices(read_file(file, "file of own prices", kMostWritten), file, today());
}

CatalogOffers read_listed_catalogs(const std::vector<std::string>& files, const OwnPrices& own) {
  CatalogOffers result;
  const bool are_shipped = files.empty() && named_catalog_files().empty();
  for (const auto& [file, csv] : files.empty() ? default_catalogs() : catalogs_in(files)) {
    Catalog catalog = parse_catalog(csv, file, today(), own.currencies);
    for (const RejectedRow& row : catalog.rejected)
      result.warnings.push_back(
          fmt::format("{}:{}: {}; row left out", printable(file), row.line, row.reason.text));
    if (!files.empty())
      for (std::string& line : odd_prices(catalog.offers))
        result.warnings.push_back(fmt::format("{}: {}", printable(file), line));
    std::ranges::move(catalog.offers, std::back_inserter(result.offers));
    result.foreign.merge(catalog.foreign);
  }
  if (are_shipped)
    result.offers.insert(result.offers.end(), current_offers().begin(), current_offers().end());
  return result;
}

CatalogOffers read_catalogs(const std::vector<std::string>& files, const std::string& own_prices) {
  const OwnPrices own = read_own_prices(own_prices);
  CatalogOffers result = read_listed_catalogs(files, own);
  for (std::string& line : apply(own, result.offers, today(), files.empty()))
    result.warnings.push_back(std::move(line));
  return result;
}

const FleetMachine& find_machine(const Fleet& fleet, const std::string& name,
                                 const std::string& file) {
  if (const FleetMachine* machine = machine_named(fleet, name)) return *machine;
  throw Error(ExitCode::usage, fmt::format("--to: there is no machine '{}' in {}", printable(name),
                                           printable(file)));
}

FleetLookup::FleetLookup(const Store& store, std::string named) : named_(std::move(named)) {
  for (const Sweep& sweep : store.sweeps()) file_of_sweep_[sweep.id] = sweep.fleet_file;
}

std::string FleetLookup::file_of(const Run& run) const {
  if (!named_.empty()) return named_;
  const auto own = file_of_sweep_.find(run.context.sweep);
  if (own == file_of_sweep_.end() || own->second.empty() || own->second == kNoFleetFile) return {};
  return (std::filesystem::path(run.context.working_dir) / own->second).string();
}

Result<FleetMachine> FleetLookup::machine_of(const Run& run) {
  if (was_imported(run.context)) return because("the run was imported");
  const std::string file = file_of(run);
  if (file.empty()) return because("the run belongs to no sweep over a fleet file");
  try {
    auto known = fleets_.find(file);
    if (known == fleets_.end())
      known = fleets_.emplace(file, with_nodes(read_fleet_file(file))).first;
    if (const FleetMachine* machine = machine_named(known->second, run.context.machine_type.name))
      return *machine;
  } catch (const Error& error) {
    return because(error.what());
  }
  return because(fmt::format("the fleet file {} has no machine '{}' any more", printable(file),
                             printable(run.context.machine_type.name)));
}

PlaceSetup FleetLookup::place_setup_of(const Run& run) {
  const RunContext& context = run.context;
  if (context.place.empty()) return {};
  auto machine = machine_of(run);
  if (machine && describe(machine->place_setup.place) == context.place)
    return place_setup_for(*machine, context.settings);
  const std::string why =
      machine ? "its fleet file has another place for the machine now" : machine.error().text;
  throw Error(ExitCode::bad_input,
              fmt::format("run {} was on {}: {}; name the fleet file that has it with --fleet FILE",
                          context.id, printable(context.place), why));
}

}  // namespace lapcast
