#include "formats/price_list.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "formats/gcp_machines.h"
#include "formats/price_list_builder.h"
#include "formats/provider_prices.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

using Member = std::string_view ListedMachine::*;

/// Maps the name of a column to the member that it fills.
struct ListColumn {
  std::string_view name;
  Member member;
};

constexpr ListColumn kSkyPilotColumns[] = {{"InstanceType", &ListedMachine::machine_type},
                                           {"AcceleratorName", &ListedMachine::accelerator},
                                           {"AcceleratorCount", &ListedMachine::accelerator_count},
                                           {"vCPUs", &ListedMachine::vcpus},
                                           {"MemoryGiB", &ListedMachine::memory_gib},
                                           {"GpuInfo", &ListedMachine::accelerator_memory_mib},
                                           {"Price", &ListedMachine::on_demand},
                                           {"SpotPrice", &ListedMachine::spot},
                                           {"Region", &ListedMachine::region},
                                           {"AvailabilityZone", &ListedMachine::zone},
                                           {"time", &ListedMachine::date}};
constexpr ListColumn kGcpColumns[] = {{"InstanceType", &ListedMachine::machine_type},
                                      {"AcceleratorName", &ListedMachine::accelerator},
                                      {"AcceleratorCount", &ListedMachine::accelerator_count},
                                      {"vCPUs", &ListedMachine::vcpus},
                                      {"MemoryGiB", &ListedMachine::memory_gib},
                                      {"Region", &ListedMachine::region},
                                      {"PriceHour", &ListedMachine::on_demand},
                                      {"SpotPriceHour", &ListedMachine::spot},
                                      {"Price1yMonth", &ListedMachine::one_year},
                                      {"Price3yMonth", &ListedMachine::three_years},
                                      {"Date", &ListedMachine::date}};
constexpr ListColumn kGpuhuntColumns[] = {{"instance_name", &ListedMachine::machine_type},
                                          {"location", &ListedMachine::region},
                                          {"price", &ListedMachine::on_demand},
                                          {"cpu", &ListedMachine::vcpus},
                                          {"memory", &ListedMachine::memory_gib},
                                          {"gpu_count", &ListedMachine::accelerator_count},
                                          {"gpu_name", &ListedMachine::accelerator},
                                          {"gpu_memory", &ListedMachine::accelerator_memory_mib},
                                          {"spot", &ListedMachine::spot},
                                          {"provider", &ListedMachine::provider}};

constexpr ListColumn kCloudGpusColumns[] = {{"Cloud", &ListedMachine::provider},
                                            {"GPU Type", &ListedMachine::accelerator},
                                            {"GPUs", &ListedMachine::accelerator_count},
                                            {"vCPUs", &ListedMachine::vcpus},
                                            {"RAM", &ListedMachine::memory_gib},
                                            {"On-demand", &ListedMachine::on_demand},
                                            {"Spot", &ListedMachine::spot},
                                            {"Name", &ListedMachine::machine_type}};

std::span<const ListColumn> columns_of(PriceListFormat format) {
  if (format == PriceListFormat::cloud_gpus) return kCloudGpusColumns;
  if (format == PriceListFormat::gcp_pricing) return kGcpColumns;
  if (format == PriceListFormat::gpuhunt) return kGpuhuntColumns;
  return kSkyPilotColumns;
}

/// Returns the number after 'SizeInMiB': in a Python dict literal, or an empty text.
std::string_view size_in_gpu_info(std::string_view info) {
  const std::size_t key = info.find("SizeInMiB");
  if (key == std::string_view::npos) return {};
  const std::size_t begin = info.find_first_of("0123456789", key);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = info.find_first_not_of("0123456789.", begin);
  return info.substr(begin, end == std::string_view::npos ? end : end - begin);
}

[[noreturn]] void refuse_list(std::string_view what) {
  throw Error(ExitCode::bad_input, std::string(what));
}

/// Reads the rows of a list in CSV, whose first row names the columns.
class ListReader {
 public:
  /// `of_gcp` says that the list is of Google Cloud.
  ListReader(PriceListFormat format, bool of_gcp, PriceListBuilder& builder)
      : format_(format),
        builder_(builder),
        prices_parts_(of_gcp && format == PriceListFormat::skypilot) {}

  void read(const CsvRow& row) {
    if (width_ == 0) return read_header(row);
    builder_.count_row();
    if (!row.damage.empty()) return builder_.refuse(row.damage);
    if (row.fields.size() != width_)
      return builder_.refuse(row.fields.size() > width_
                                 ? "more fields than the header: a comma without quotes"
                                 : "fewer fields than the header");
    ListedMachine machine;
    for (std::size_t i = 0; i < width_; ++i)
      if (members_[i] != nullptr) machine.*members_[i] = row.fields[i];
    finish(machine);
    const auto kind = prices_parts_ ? gcp_machines_.take(machine) : GcpMachines::Row::offer;
    if (kind == GcpMachines::Row::accelerator) return;
    if (kind == GcpMachines::Row::part_of_machine)
      return builder_.refuse("the price of a machine without its accelerators");
    builder_.add(machine);
  }

  /// Adds the offers that several rows make together.
  void finish_list() {
    if (width_ == 0) refuse_list("the list is empty");
    gcp_machines_.for_each_pair([&](const ListedMachine& pair) { builder_.add(pair); });
  }

 private:
  void read_header(const CsvRow& row) {
    std::size_t prices = 0;
    std::size_t names = 0;
    for (const std::string& name : row.fields) {
      members_.push_back(nullptr);
      for (const ListColumn& column : columns_of(format_))
        if (column.name == name) members_.back() = column.member;
      prices += members_.back() == &ListedMachine::on_demand ? 1 : 0;
      names += members_.back() == &ListedMachine::machine_type ? 1 : 0;
    }
    if (prices != 1 || names != 1)
      refuse_list("the first line does not name the columns of this format");
    width_ = row.fields.size();
  }

  void finish(ListedMachine& machine) {
    if (format_ == PriceListFormat::skypilot)
      machine.accelerator_memory_mib = size_in_gpu_info(machine.accelerator_memory_mib);
    if (format_ == PriceListFormat::cloud_gpus) return name_machine(machine);
    if (format_ != PriceListFormat::gpuhunt) return;
    // A row of gpuhunt has one price, and says whether it is spot.
    const bool is_spot = machine.spot == "True" || machine.spot == "true";
    machine.spot = {};
    machine.is_spot = is_spot;
  }

  /// Spells the provider as other lists do, and names a machine without a name by its GPUs.
  void name_machine(ListedMachine& machine) {
    provider_.clear();
    for (const char c : machine.provider)
      provider_ += c == ' ' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    machine.provider = provider_ == "oracle-cloud" ? std::string_view("oci") : provider_;
    if (!machine.machine_type.empty() || machine.accelerator.empty()) return;
    name_ = fmt::format("{}x {}", machine.accelerator_count, machine.accelerator);
    machine.machine_type = name_;
  }

  PriceListFormat format_;
  PriceListBuilder& builder_;
  GcpMachines gcp_machines_;
  bool prices_parts_;            // machines and accelerators have rows of their own
  std::string provider_, name_;  // of the row that is read
  std::vector<Member> members_;
  std::size_t width_ = 0;  // 0 = the header was not read yet
};

void read_csv_list(PriceListFormat format, bool of_gcp, std::string_view text,
                   PriceListBuilder& builder) {
  ListReader reader(format, of_gcp, builder);
  constexpr std::size_t kRowBytes = 100;  // of a typical row
  builder.expect(text.size() / kRowBytes);
  for_each_csv_row(text, [&](const CsvRow& row) { reader.read(row); });
  reader.finish_list();
}

using ListJson = nlohmann::json;

std::string text_at(const ListJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number() ? found->dump() : std::string();
}

/// Adds the prices of one machine type on Linux, in every region.
void add_vantage(const ListJson& machine, PriceListBuilder& builder) {
  const std::string type = text_at(machine, "instance_type");
  const std::string vcpus = text_at(machine, "vCPU");
  const std::string memory = text_at(machine, "memory");
  const std::string gpus = text_at(machine, "GPU");
  const std::string model = text_at(machine, "GPU_model");
  const auto pricing = machine.find("pricing");
  if (pricing == machine.end() || !pricing->is_object()) return builder.refuse("no price");
  for (const auto& [region, systems] : pricing->items()) {
    builder.count_row();
    if (!systems.is_object() || !systems.contains("linux") || !systems["linux"].is_object()) {
      builder.refuse("no price for Linux");
      continue;
    }
    const std::string on_demand = text_at(systems["linux"], "ondemand");
    const std::string spot = text_at(systems["linux"], "spot_min");
    ListedMachine listed;
    listed.machine_type = type;
    listed.region = region;
    listed.vcpus = vcpus;
    listed.memory_gib = memory;
    if (gpus != "0" && !gpus.empty()) {
      listed.accelerator = model.empty() ? std::string_view("GPU") : std::string_view(model);
      listed.accelerator_count = gpus;
    }
    listed.on_demand = on_demand;
    if (spot != "N/A") listed.spot = spot;
    builder.add(listed);
  }
}

/// Reads a list of machine types one after another: a tree of all of them would take eight times
/// the memory of their text.
class VantageReader {
 public:
  explicit VantageReader(PriceListBuilder& builder) : builder_(builder) {}

  /// Handles an event of the parser. Returns whether the parser keeps what it has just read.
  bool operator()(int depth, ListJson::parse_event_t event, const ListJson& parsed) {
    using Event = ListJson::parse_event_t;
    if (depth == 0) {
      is_list_ = is_list_ || event == Event::array_start;
      return is_list_;
    }
    if (++values_ > kMostValues) refuse_list("a machine type has more than 1,000,000 values");
    if (depth > 1 || event == Event::object_start || event == Event::array_start) return true;
    if (event == Event::object_end)
      add_vantage(parsed, builder_);
    else
      builder_.refuse("an entry is not an object");
    values_ = 0;
    return false;
  }
  bool is_list() const { return is_list_; }

 private:
  static constexpr std::size_t kMostValues = 1'000'000;

  PriceListBuilder& builder_;
  bool is_list_ = false;
  std::size_t values_ = 0;  // of the machine type that is read
};

void read_vantage(std::string_view text, PriceListBuilder& builder) {
  VantageReader reader(builder);
  const ListJson list = ListJson::parse(text, std::ref(reader), false);
  if (list.is_discarded() || !reader.is_list())
    refuse_list("the list is not a JSON array of machine types");
}

/// Returns the function that reads a provider's own prices; nullptr for any other format.
auto provider_reader(PriceListFormat format) -> void (*)(std::string_view, const PriceSink&) {
  if (format == PriceListFormat::azure) return read_azure_prices;
  if (format == PriceListFormat::vast) return read_vast_offers;
  return format == PriceListFormat::runpod ? read_runpod_types : nullptr;
}

}  // namespace

PriceList read_price_list(PriceListFormat format, std::string_view text,
                          const PriceListOrigin& origin, Date today) {
  PriceListBuilder builder(origin, today);
  if (format == PriceListFormat::vantage) {
    read_vantage(text, builder);
  } else if (const auto read = provider_reader(format)) {
    read(text,
         {[&] { builder.count_row(); }, [&](const ListedMachine& machine) { builder.add(machine); },
          [&](const std::string& reason) { builder.refuse(reason); }});
  } else {
    read_csv_list(format, origin.provider == "gcp", text, builder);
  }
  return builder.take();
}

}  // namespace lapcast
