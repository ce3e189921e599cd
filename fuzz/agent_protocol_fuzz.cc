#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "probe/orders.h"
#include "remote/agent_protocol.h"
#include "remote/ssh.h"

namespace {

/// Checks that whoever can write the file of orders can at most end the program or name a round.
void take_order(std::string_view line) {
  const lapcast::Order order = lapcast::parse_order(line);
  const auto* round = std::get_if<lapcast::Round>(&order);
  if (round == nullptr) return;
  if (round->laps < 0 || !(round->ran >= lapcast::Seconds{0})) std::abort();
  if (!std::holds_alternative<lapcast::Round>(lapcast::parse_order(lapcast::order_line(*round))))
    std::abort();
}

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_safe(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ') return false;
  return true;
}

/// Checks that a message of an agent is a value that is safe to show, and that what is written
/// again is read as the same kind.
void take_message(std::string_view line) {
  using namespace lapcast;
  const AgentMessage said = parse_agent_message(line);
  std::string again;
  if (const auto* progress = std::get_if<ProbeProgress>(&said)) {
    require(progress->elapsed >= Seconds{0} && progress->laps >= 0 && is_safe(progress->state));
    again = progress_line(*progress);
  }
  if (const auto* refused = std::get_if<message::Refused>(&said)) {
    require(is_safe(refused->why));
    again = to_line(*refused);
  }
  if (const auto* started = std::get_if<message::Started>(&said)) {
    require(started->clock_ns >= 0);
    again = to_line(*started);
  }
  if (again.empty()) return;
  require(again.find('\n') == again.size() - 1);
  again.pop_back();
  require(parse_agent_message(again).index() == said.index());
}

/// Checks that a question names no negative number of bytes, and is read again as it was written.
void take_question(std::string_view line) {
  using namespace lapcast;
  if (const auto clock = parse_clock_answer(line)) require(*clock > 0);
  const CheckQuestion asked = parse_question(line);
  if (const auto* take = std::get_if<question::Take>(&asked)) require(take->bytes >= 0);
  if (asked.index() == 0) return;
  std::string again = to_line(asked);
  again.pop_back();
  require(parse_question(again).index() == asked.index());
}

}  // namespace

/// Reads any bytes as what a host prints or is sent: messages of an agent, orders, questions,
/// facts, and complaints of ssh.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  lapcast::LineBuffer lines;
  // They may come in two pieces.
  lines.append(bytes.substr(0, size / 2));
  std::size_t taken = 0;
  const auto look = [&] {
    while (const auto line = lines.next()) {
      taken += line->size() + 1;
      take_order(*line);
      take_message(*line);
      take_question(*line);
    }
  };
  look();
  lines.append(bytes.substr(size / 2));
  look();
  if (taken > size || static_cast<std::int64_t>(taken) != lines.taken()) std::abort();
  if (const auto facts = lapcast::parse_facts(bytes); facts && facts->disk_free_bytes < 0)
    std::abort();
  if (lapcast::explain_ssh("box", std::string(bytes)).text.empty()) std::abort();
  return 0;
}
