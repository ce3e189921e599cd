#include "machine/place.h"

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

constexpr std::string_view kSlurm = "slurm";

}  // namespace

std::string describe(const Place& place) {
  if (const auto* ssh = std::get_if<SshPlace>(&place)) {
    std::string text = "ssh " + ssh->host;
    for (const std::string& other : ssh->others) text += " + " + other;
    return text;
  }
  if (const auto* rented = std::get_if<RentedPlace>(&place))
    return "rented " + rented->by + " " + rented->type;
  const auto* slurm = std::get_if<SlurmPlace>(&place);
  if (slurm == nullptr) return {};
  std::string text(kSlurm);
  for (const std::string& word : {slurm->partition, slurm->constraint, slurm->gres})
    if (!word.empty()) text += ' ' + word;
  return slurm->login.empty() ? text : text + " by " + slurm->login;
}

Place place_by_config(std::string host, std::string config) {
  return SshPlace{std::move(host), std::move(config)};
}

Place without_own_files(Place place) {
  if (auto* ssh = std::get_if<SshPlace>(&place)) ssh->config = ssh->known_hosts = {};
  return place;
}

int nodes_of(const Place& place) {
  if (const auto* ssh = std::get_if<SshPlace>(&place))
    return 1 + static_cast<int>(ssh->others.size());
  const auto* slurm = std::get_if<SlurmPlace>(&place);
  return slurm == nullptr ? 1 : std::max(1, slurm->nodes);
}

std::vector<Place> nodes_in(const Place& place) {
  const auto* ssh = std::get_if<SshPlace>(&place);
  if (ssh == nullptr) return {place};
  SshPlace node = *ssh;
  node.others.clear();
  std::vector<Place> nodes{node};
  for (const std::string& other : ssh->others) {
    node.host = other;
    nodes.emplace_back(node);
  }
  return nodes;
}

int gpus_asked_of(const Place& place) {
  const auto* slurm = std::get_if<SlurmPlace>(&place);
  return slurm == nullptr ? 0 : slurm->gpus;
}

void ask_for_at_most(Place& place, int gpus_of_node) {
  if (auto* slurm = std::get_if<SlurmPlace>(&place))
    slurm->gpus = std::min(slurm->gpus, gpus_of_node);
}

bool asks_for_whole_nodes(const Place& place) {
  const auto* slurm = std::get_if<SlurmPlace>(&place);
  return slurm != nullptr && std::ranges::any_of(slurm->flags, [](const std::string& flag) {
           return flag.starts_with("--exclusive");
         });
}

void ask_for_time(Place& place, std::int64_t ns) {
  auto* slurm = std::get_if<SlurmPlace>(&place);
  if (slurm == nullptr) return;
  slurm->time_limit_ns = ns;
  std::erase_if(slurm->flags, [](const std::string& flag) {
    return flag.starts_with("--time=") || flag.starts_with("--time-min=");
  });
}

bool is_queued(std::string_view description) {
  return description.substr(0, description.find(' ')) == kSlurm;
}

}  // namespace lapcast
