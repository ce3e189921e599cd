#include "machine/place.h"

namespace lapcast {
namespace {

void append(std::string& text, const std::string& word) {
  if (word.empty()) return;
  if (!text.empty()) text += ' ';
  text += word;
}

}  // namespace

std::string describe(const Place& place) {
  std::string text;
  if (const auto* ssh = std::get_if<SshPlace>(&place)) text = "ssh " + ssh->host;
  if (const auto* slurm = std::get_if<SlurmPlace>(&place)) {
    text = "slurm";
    for (const std::string& word : {slurm->partition, slurm->constraint, slurm->gres})
      append(text, word);
    if (!slurm->login.empty()) append(text, "by " + slurm->login);
  }
  return text;
}

}  // namespace lapcast
