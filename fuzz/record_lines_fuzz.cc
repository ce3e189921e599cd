#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "probe/orders.h"
#include "remote/machine_facts.h"
#include "remote/probe_lines.h"
#include "remote/ssh.h"

namespace {

/// Checks that a writer of the file of orders can at most end the program or name a round.
void take_order(std::string_view line) {
  const lapcast::Order order = lapcast::parse_order(line);
  const auto* round = std::get_if<lapcast::Round>(&order);
  if (round == nullptr) return;
  if (round->laps < 0 || !(round->ran >= lapcast::Seconds{0})) std::abort();
  if (!std::holds_alternative<lapcast::Round>(lapcast::parse_order(lapcast::order_line(*round))))
    std::abort();
}

}  // namespace

/// Checks the output of a host, of any bytes: lines of a record, of orders, of its facts, or ssh's
/// complaints. Each gives a value or a reason, and states are safe to show.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  lapcast::LineBuffer lines;
  // The bytes may arrive in two pieces.
  lines.append(bytes.substr(0, size / 2));
  std::size_t taken = 0;
  const auto look = [&] {
    while (const auto line = lines.next()) {
      taken += line->size() + 1;
      take_order(*line);
      const lapcast::ProbeLine said = lapcast::parse_probe_line(*line);
      if (const auto* progress = std::get_if<lapcast::ProbeProgress>(&said)) {
        if (!(progress->elapsed >= lapcast::Seconds{0}) || progress->laps < 0) std::abort();
        for (const char c : progress->state)
          if (static_cast<unsigned char>(c) < ' ') std::abort();
      }
    }
  };
  look();
  lines.append(bytes.substr(size / 2));
  look();
  if (taken > size || static_cast<std::int64_t>(taken) != lines.taken()) std::abort();
  if (const auto facts = lapcast::facts_from_lines(bytes); facts && facts->disk_free_bytes < 0)
    std::abort();
  if (lapcast::explain_ssh("box", std::string(bytes)).text.empty()) std::abort();
  return 0;
}
