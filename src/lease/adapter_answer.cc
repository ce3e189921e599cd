#include "lease/adapter_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/moment.h"
#include "core/units.h"
#include "lease/lease_names.h"
#include "run/json_reader.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr int kDeepestAnswer = 8;
constexpr std::int64_t kMostAnswerValues = 1'000'000;
constexpr double kMostPrice = 1e6;  // USD per hour
constexpr double kLongestSettle = 3600;

/// Is a moment, as text or as seconds since 1970.
struct AnswerMoment {
  UtcNs ns = 0;
};

bool consists_of(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

bool is_lease_id(std::string_view text) {
  return text.size() == 12 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

class AnswerReader : public JsonReader<AnswerReader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;

  static JsonProblem read(const Node& node, HourlyPrice& price) {
    if (node.is_number()) {
      const double dollars = node.get<double>();
      if (!(dollars >= 0 && dollars <= kMostPrice)) return " is not a price";
      price = {Money::parse(fmt::format("{:.9f}", dollars))};
      return "";
    }
    JsonProblem problem = read(node, price.per_hour);
    const bool fits =
        problem.empty() && price.per_hour >= Money{} && price.per_hour.dollars() <= kMostPrice;
    return fits || !problem.empty() ? problem : " is not a price";
  }
  static JsonProblem read(const Node& node, AnswerMoment& moment) {
    double seconds = -1;
    if (node.is_number()) {
      seconds = node.get<double>();
    } else if (node.is_string()) {
      seconds = parse_moment(node.get_ref<const std::string&>()).value_or(-1);
    }
    if (!(seconds >= 0 && seconds < 8e9)) return " is not a time of UTC";
    moment.ns = to_ns(Seconds{seconds});
    return "";
  }
  static JsonProblem read(const Node& node, ListedState& state) {
    return read_name(node, names_of_all<ListedState, 6>(), state);
  }
  static JsonProblem read(const Node& node, AdapterDescription::Deadline& deadline) {
    using Deadline = AdapterDescription::Deadline;
    constexpr std::array<std::pair<std::string_view, Deadline>, 3> kNames{
        {{"provider", Deadline::provider},
         {"machine", Deadline::machine},
         {"none", Deadline::none}}};
    return read_name(node, kNames, deadline);
  }
  static JsonProblem read(const Node& node, Billing& billing) {
    const auto fields = [](AnswerReader& reader, Billing& value) {
      Seconds step = from_ns(value.step_ns), minimum{0};
      reader("step", step);
      reader("minimum", minimum);
      constexpr Seconds kMost{31 * 86400.0};
      if (!(step >= Seconds{0} && step <= kMost && minimum >= Seconds{0} && minimum <= kMost))
        return reader.refuse(" has a step or a minimum that is not 0 s to 31 days");
      value = {.step_ns = to_ns(step), .minimum_ns = to_ns(minimum)};
    };
    return read_object(node, fields, billing);
  }
  static JsonProblem read(const Node& node, AdapterDescription& value) {
    return read_object(node, description_fields, value);
  }
  static JsonProblem read(const Node& node, AdapterOffer& value) {
    return read_object(node, offer_fields, value);
  }
  static JsonProblem read(const Node& node, ProviderEntry& value) {
    return read_object(node, machine_fields, value);
  }

 private:
  static void description_fields(AnswerReader& reader, AdapterDescription& value) {
    int contract = 0;
    reader.required("contract", contract);
    if (contract != kAdapterContract)
      reader.refuse(fmt::format(".contract is {}, not {}", contract, kAdapterContract));
    reader("name", value.name);
    reader("idempotent", value.idempotent);
    reader("user_data", value.user_data);
    reader("tells_host_key", value.tells_host_key);
    reader("tags", value.tags);
    reader("extends", value.extends);
    reader("deadline", value.deadline);
    reader("deadline_text", value.deadline_text);
    reader("power_off_ends_bill", value.power_off_ends_bill);
    reader("end_command", value.end_command);
    reader("min_seconds", value.min_term);
    reader("settle_seconds", value.settle);
    reader("billing", value.billing);
    reader("user", value.user);
    reader("by_hand", value.by_hand);
    if (!(value.settle.count() >= 0.1 && value.settle.count() <= kLongestSettle))
      reader.refuse(".settle_seconds is not 0.1 to 3600");
    if (!(value.min_term.count() >= 0 && value.min_term.count() <= 86400))
      reader.refuse(".min_seconds is not 0 to 86400");
    if (!is_login(value.user)) reader.refuse(".user is not the name of a login");
  }
  static void offer_fields(AnswerReader& reader, AdapterOffer& value) {
    reader.required("type", value.type);
    reader("region", value.region);
    reader("zone", value.zone);
    reader("spot", value.spot);
    reader("usd_per_hour", value.price);
    reader("gpu", value.gpu);
    reader("gpu_count", value.gpu_count);
    reader("gpu_memory_gib", value.gpu_memory_gib);
    reader("vcpus", value.vcpus);
    reader("memory_gib", value.memory_gib);
    reader("available", value.available);
    std::optional<HourlyPrice> egress;  // as a price is written
    reader("egress_usd_per_gb", egress);
    if (egress) value.egress = egress->per_hour;
    if (value.egress > kMostEgressPrice) reader.refuse(".egress_usd_per_gb is above 1000");
  }
  static void machine_fields(AnswerReader& reader, ProviderEntry& value) {
    std::string kind = "machine";
    std::optional<bool> costs;
    std::optional<AnswerMoment> created, ended, preempted_at;
    reader.required("lease", value.lease);
    reader.required("machine", value.machine);
    reader("kind", kind);
    reader("region", value.region);
    reader("zone", value.zone);
    reader.required("state", value.state);
    reader("costs", costs);
    reader("address", value.address);
    reader("port", value.port);
    reader("user", value.user);
    reader("host_key", value.host_key);
    reader("usd_per_hour", value.price);
    reader("created", created);
    reader("ended", ended);
    reader("preempted_at", preempted_at);
    reader("hardware", value.hardware);
    value.is_machine = kind == "machine";
    value.costs = costs.value_or(value.state != ListedState::gone);
    if (created) value.created = created->ns;
    if (ended) value.ended = ended->ns;
    if (preempted_at) value.preempted_at = preempted_at->ns;
    refuse_what_ssh_misreads(reader, value);
  }
  /// These texts get into a configuration of ssh, where a blank or a line break would say more.
  static void refuse_what_ssh_misreads(AnswerReader& reader, const ProviderEntry& value) {
    if (!is_lease_id(value.lease)) reader.refuse(".lease is not 12 hex digits");
    if (value.machine.empty() || value.machine.size() > 200)
      reader.refuse(".machine has not 1 to 200 characters");
    if (!consists_of(value.address, ".:-_%") || value.address.starts_with('-'))
      reader.refuse(".address is not an address");
    if (value.port < 1 || value.port > 65535) reader.refuse(".port is not 1 to 65535");
    if (!value.user.empty() && !is_login(value.user))
      reader.refuse(".user is not the name of a login");
    if (!value.host_key.empty() && !is_host_key(value.host_key))
      reader.refuse(".host_key is not a line such as 'ssh-ed25519 AAAA...'");
  }
  static bool is_login(std::string_view name) {
    return !name.empty() && !name.starts_with('-') && consists_of(name, "._-");
  }
  static bool is_host_key(std::string_view text) {
    const std::size_t blank = text.find(' ');
    return blank != 0 && blank != text.npos && consists_of(text.substr(0, blank), "@.-") &&
           blank + 1 < text.size() && consists_of(text.substr(blank + 1), "+/=");
  }
};

AdapterError broken(const std::string& what) {
  return {RentRefusal::unclear, "the answer breaks the contract: " + printable(what)};
}

RentRefusal refusal_of(std::string_view kind) {
  for (const auto& [name, refusal] : names_of_all<RentRefusal, 7>())
    if (name == kind) return refusal;
  return RentRefusal::unclear;
}

/// Removes the members that are null, which stand for absent ones.
void drop_nulls(json& node) {
  if (node.is_object()) {
    for (auto at = node.begin(); at != node.end();)
      at = at->is_null() ? node.erase(at) : std::next(at);
  }
  if (node.is_structured())
    for (json& each : node) drop_nulls(each);
}

/// Returns the JSON value of an answer, or the error that it tells or is.
AdapterResult<json> parsed_answer(std::string_view answer) {
  if (json_depth(answer) > kDeepestAnswer || json_values(answer) > kMostAnswerValues)
    return tl::unexpected(broken("it is too deep or too large"));
  json root = json::parse(answer, nullptr, false);
  if (root.is_discarded()) return tl::unexpected(broken("it is not one JSON value"));
  drop_nulls(root);
  if (!root.is_object() || !root.contains("error")) return root;
  const auto text_at = [&](const char* key) {
    const auto found = root.find(key);
    return found != root.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return tl::unexpected(
      AdapterError{refusal_of(text_at("error")), printable(text_at("text"), 500)});
}

/// Returns the value that AnswerReader reads from an answer.
template <class Value>
AdapterResult<Value> read_answer(std::string_view answer) {
  const auto root = parsed_answer(answer);
  if (!root) return tl::unexpected(root.error());
  Value value{};
  const JsonProblem problem = AnswerReader::read(*root, value);
  if (problem.empty()) return value;
  return tl::unexpected(broken((problem.starts_with(' ') ? "it" : "") + problem));
}

/// Returns whether an entry of a list is of a lease; people may have given others the same tag.
bool is_of_a_lease(const json& entry) {
  if (!entry.is_object()) return true;  // and is refused
  const auto lease = entry.find("lease");
  return lease != entry.end() && lease->is_string() &&
         is_lease_id(lease->get_ref<const std::string&>());
}

}  // namespace

Protection protection_of(const AdapterDescription& adapter) {
  using Deadline = AdapterDescription::Deadline;
  if (adapter.deadline == Deadline::provider) return Protection::provider;
  const bool ends_bill = adapter.power_off_ends_bill || !adapter.end_command.empty();
  return adapter.deadline == Deadline::machine && ends_bill ? Protection::machine
                                                            : Protection::this_computer;
}

AdapterResult<AdapterDescription> parse_description(std::string_view answer) {
  return read_answer<AdapterDescription>(answer);
}

AdapterResult<std::vector<AdapterOffer>> parse_offers(std::string_view answer) {
  return read_answer<std::vector<AdapterOffer>>(answer);
}

AdapterResult<ProviderEntry> parse_machine(std::string_view answer) {
  return read_answer<ProviderEntry>(answer);
}

AdapterResult<MachineList> parse_machine_list(std::string_view answer) {
  auto root = parsed_answer(answer);
  if (!root) return tl::unexpected(root.error());
  MachineList list;
  const json* entries = &*root;
  if (root->is_object()) {
    const auto machines = root->find("machines");
    const auto complete = root->find("complete");
    if (machines == root->end()) return tl::unexpected(broken(".machines is missing"));
    if (complete != root->end() && !complete->is_boolean())
      return tl::unexpected(broken(".complete is not true or false"));
    list.complete = complete == root->end() || complete->get<bool>();
    entries = &*machines;
  }
  if (!entries->is_array()) return tl::unexpected(broken("it is not a list"));
  for (const json& entry : *entries) {
    if (!is_of_a_lease(entry)) continue;
    const JsonProblem problem = AnswerReader::read(entry, list.machines.emplace_back());
    if (!problem.empty())
      return tl::unexpected(broken(fmt::format("[{}]{}", list.machines.size() - 1, problem)));
  }
  return list;
}

bool tells_error(std::string_view answer) {
  if (json_depth(answer) > kDeepestAnswer) return false;
  const json root = json::parse(answer, nullptr, false);
  return root.is_object() && root.contains("error") && root["error"].is_string();
}

AdapterResult<void> parse_done(std::string_view answer) {
  const auto root = parsed_answer(answer);
  if (!root) return tl::unexpected(root.error());
  return {};
}

}  // namespace lapcast
