#include "lease/adapter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "core/nearest_name.h"
#include "core/units.h"
#include "lease/lease_text.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using Node = nlohmann::ordered_json;

constexpr std::string_view kAdapterPrefix = "lapcast-rent-";
constexpr Seconds kCreateLimit{120};
constexpr Seconds kVerbLimit{60};

std::string setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Returns the folders in which adapters are looked for.
std::vector<fs::path> adapter_folders() {
  std::vector<fs::path> folders;
  std::istringstream named(setting("LAPCAST_RENT_PATH"));
  for (std::string folder; std::getline(named, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  const fs::path config = setting("XDG_CONFIG_HOME"), home = setting("HOME");
  if (config.is_absolute())
    folders.push_back(config / "lapcast/rent");
  else if (!home.empty())
    folders.push_back(home / ".config/lapcast/rent");
  const fs::path binary = own_binary();
  if (binary.empty()) return folders;
  folders.push_back(binary.parent_path().parent_path() / "libexec/lapcast");
  // build/release/lapcast of a source tree
  const fs::path tree = binary.parent_path().parent_path().parent_path();
  std::error_code absent;
  if (fs::exists(tree / "ARCHITECTURE.md", absent)) folders.push_back(tree / "rent");
  return folders;
}

Node machine_node(const Lease& lease, const MachineName& machine) {
  return {{"machine", machine.machine},
          {"lease", lease.id},
          {"region", machine.region},
          {"zone", machine.zone}};
}

std::string text_of(const Node& node) {
  return node.dump(-1, ' ', false, Node::error_handler_t::replace);
}

/// Returns when it is so long from now, by this computer's clock.
std::string utc_text_in(Seconds seconds) {
  return utc_text_of(clock_ns(CLOCK_REALTIME) + to_ns(seconds));
}

}  // namespace

bool is_adapter_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

std::string offers_request(const std::vector<std::string>& types,
                           const std::vector<std::string>& regions) {
  return text_of({{"types", types}, {"regions", regions}});
}

std::string create_request(const Lease& lease, const std::string& ssh_key,
                           const std::string& user_data, Seconds seconds) {
  Node options = Node::object();
  for (const auto& [name, value] : lease.order.options) options[name] = value;
  return text_of({{"lease", lease.id},
                  {"name", host_of_lease(lease.id)},
                  {"type", lease.order.type},
                  {"region", lease.order.region},
                  {"zone", lease.order.zone},
                  {"spot", lease.order.spot},
                  {"image", lease.order.image},
                  {"ssh_key", ssh_key},
                  {"user_data", user_data},
                  {"seconds", seconds.count()},
                  {"deadline", utc_text_in(seconds)},
                  {"max_usd_per_hour", exact_decimal(lease.order.most.per_hour)},
                  {"owner", lease.owner},
                  {"options", std::move(options)}});
}

std::string delete_request(const Lease& lease, const MachineName& machine) {
  return text_of(machine_node(lease, machine));
}

std::string extend_request(const Lease& lease, Seconds seconds) {
  Node node = machine_node(lease, {lease.machine, lease.region, lease.zone});
  node["seconds"] = seconds.count();
  node["deadline"] = utc_text_in(seconds);
  return text_of(node);
}

std::vector<std::string> adapter_names() {
  std::set<std::string> names;
  for (const fs::path& folder : adapter_folders()) {
    for (const std::string& file : list_system_directory(folder)) {
      if (!file.starts_with(kAdapterPrefix)) continue;
      const std::string name = file.substr(kAdapterPrefix.size());
      if (is_adapter_name(name) && access((folder / file).c_str(), X_OK) == 0) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

Result<fs::path> find_adapter(const std::string& name) {
  if (!is_adapter_name(name)) {
    return because(
        fmt::format("'{}' is not the name of an adapter: it has letters, digits, '-' and '_' alone",
                    printable(name, 60)));
  }
  for (const fs::path& folder : adapter_folders()) {
    const fs::path file = folder / (std::string(kAdapterPrefix) + name);
    std::error_code absent;
    if (!fs::is_regular_file(file, absent)) continue;
    if (access(file.c_str(), X_OK) == 0) return fs::absolute(file);
    return because(fmt::format("the adapter '{}' cannot be executed; chmod +x it",
                               printable(file.native(), 300)));
  }
  const std::vector<std::string> names = adapter_names();
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string all = names.empty() ? std::string("none is installed")
                                        : fmt::format("installed are: {}", fmt::join(names, ", "));
  return because(fmt::format("there is no adapter {}{}; {}", kAdapterPrefix, name,
                             did_you_mean(name, known, all)));
}

std::chrono::milliseconds adapter_limit(std::string_view verb) {
  Seconds limit = verb == "create" ? kCreateLimit : kVerbLimit;
  if (const std::string text = setting("LAPCAST_RENT_LIMIT"); !text.empty())
    limit = parse_duration(text);
  return std::chrono::duration_cast<std::chrono::milliseconds>(limit);
}

AdapterCall::AdapterCall(const fs::path& adapter, const std::string& verb,
                         const std::string& request)
    : verb_(verb), started_(std::chrono::steady_clock::now()), limit_(adapter_limit(verb)) {
  Result<RunningCommand> started = RunningCommand::start({adapter.native(), verb});
  if (!started) {
    give_up("cannot be started: " + started.error().text);
    return;
  }
  process_ = std::move(*started);
  process_->write(request);
  process_->close_input();
}

void AdapterCall::give_up(std::string why) {
  std::string last;
  if (process_) last = printable(last_lines(process_->error(), 1), 300);
  answer_ = tl::unexpected(AdapterError{
      RentRefusal::unclear, fmt::format("{} {}{}{}", verb_, why, last.empty() ? "" : ": ", last)});
  process_.reset();  // is ended with all that it started
}

bool AdapterCall::wait(std::chrono::milliseconds at_most) {
  if (answer_) return true;
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(
      started_ + limit_ - std::chrono::steady_clock::now());
  process_->wait(std::max(std::chrono::milliseconds{0}, std::min(at_most, rest)));
  output_ += process_->take_output();
  if (output_.size() > kMostAnswer) {
    give_up("answered with more than 16 MiB");
  } else if (process_->ended()) {
    take_end();
  } else if (rest <= std::chrono::milliseconds{0}) {
    give_up(fmt::format("gave no answer within {}", format_duration(limit_)));
  }
  return answer_.has_value();
}

void AdapterCall::take_end() {
  output_ += process_->take_output();
  if (tells_error(output_) || (process_->status() == 0 && nlohmann::json::accept(output_))) {
    answer_ = std::move(output_);
    process_.reset();
  } else if (process_->status() == 0) {
    give_up("answered with no JSON value");
  } else {
    give_up(fmt::format("ended with status {}", process_->status()));
  }
}

AdapterResult<std::string> AdapterCall::answer() const {
  return answer_ ? *answer_
                 : tl::unexpected(AdapterError{RentRefusal::unclear, verb_ + " has not ended"});
}

AdapterResult<std::string> ask_adapter(const fs::path& adapter, const std::string& verb,
                                       const std::string& request) {
  AdapterCall call(adapter, verb, request);
  while (!call.wait(std::chrono::milliseconds{1000})) {
  }
  return call.answer();
}

}  // namespace lapcast
