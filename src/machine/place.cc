#include "machine/place.h"

namespace lapcast {
namespace {

constexpr std::string_view kSlurm = "slurm";

}  // namespace

std::string describe(const Place& place) {
  if (const auto* ssh = std::get_if<SshPlace>(&place)) return "ssh " + ssh->host;
  const auto* slurm = std::get_if<SlurmPlace>(&place);
  if (slurm == nullptr) return {};
  std::string text(kSlurm);
  for (const std::string& word : {slurm->partition, slurm->constraint, slurm->gres})
    if (!word.empty()) text += ' ' + word;
  return slurm->login.empty() ? text : text + " by " + slurm->login;
}

bool is_queued(std::string_view description) {
  return description.substr(0, description.find(' ')) == kSlurm;
}

}  // namespace lapcast
