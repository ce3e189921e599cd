#include "remote/host_check.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "core/units.h"
#include "probe/clock.h"
#include "remote/agent_answer.h"
#include "remote/delivery.h"
#include "remote/agent_command.h"
#include "remote/machine_facts.h"
#include "remote/probe_lines.h"
#include "remote/slurm_check.h"

namespace lapcast {
namespace {

constexpr int kClockLooks = 7;
constexpr std::size_t kMostFacts = 1 << 20;  // bytes of all that a machine says of itself
constexpr std::int64_t kLeastFree = 1LL << 30;

std::int64_t wall_clock_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// One conversation with lapcast on a host.
class Conversation {
 public:
  Conversation(const Host& host, RunningCommand command, const Interrupt& interrupt)
      : host_(host), command_(std::move(command)), interrupt_(interrupt) {}

  void ask(std::string_view text) { command_.write(text); }

  HostResult<std::string> answer() { return agent_answer(host_, command_, lines_, interrupt_); }

 private:
  const Host& host_;
  RunningCommand command_;
  const Interrupt& interrupt_;
  LineBuffer lines_{kMostFacts};
};

HostResult<Conversation> begin(const Host& host, const PlaceSetup& site, const Interrupt& interrupt) {
  Delivery delivery(host, site, interrupt, [](const std::string&) {});
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto command = host.start(lapcast_there(site, {"probe", "--answer-checks", "."}));
    if (!command) return tl::unexpected(command.error());
    Conversation conversation(host, std::move(*command), interrupt);
    conversation.ask("clock\n");  // warms the way up
    const auto answer = conversation.answer();
    if (!answer) return tl::unexpected(answer.error());
    if (!answer->starts_with("N tool ")) return conversation;
    if (auto sent = delivery.send_tool(answer->substr(7)); !sent)
      return tl::unexpected(sent.error());
  }
  return tl::unexpected(keeps_nothing(host));
}

/// Offset and latency by the look with the shortest way there and back [as NTP, RFC 5905].
HostResult<void> look_at_clock(Conversation& conversation, MachineCheck& check) {
  for (int look = 0; look < kClockLooks; ++look) {
    const std::int64_t asked = wall_clock_ns();
    const MonotonicNs begin = monotonic_ns();
    conversation.ask("clock\n");
    const auto answer = conversation.answer();
    if (!answer) return tl::unexpected(answer.error());
    const Seconds latency = from_ns(monotonic_ns() - begin);
    std::int64_t there = 0;
    if (answer->starts_with("clock "))
      std::from_chars(answer->data() + 6, answer->data() + answer->size(), there);
    if (there <= 0 || (check.latency && *check.latency <= latency)) continue;
    check.latency = latency;
    check.clock_offset = from_ns(there - asked) - latency / 2;
  }
  return {};
}

/// Sends more and more until it takes long enough to be timed: 64 MiB on a fast link, less than a
/// second's worth on a slow one.
HostResult<void> time_link(Conversation& conversation, MachineCheck& check) {
  constexpr Seconds kLongEnough{0.2};
  for (std::int64_t bytes = 1 << 18; bytes <= 64 << 20; bytes *= 8) {
    // Nothing that a link could compress: a simple random sequence.
    std::string load = fmt::format("take {}\n", bytes);
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < bytes; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      load += static_cast<char>(state >> 56);
    }
    const MonotonicNs begin = monotonic_ns();
    conversation.ask(load);
    const auto answer = conversation.answer();
    if (!answer) return tl::unexpected(answer.error());
    const Seconds time = from_ns(monotonic_ns() - begin) - check.latency.value_or(Seconds{0});
    if (time > Seconds{0}) check.bytes_per_second = static_cast<double>(bytes) / time.count();
    if (time > kLongEnough) break;
  }
  return {};
}

HostResult<void> take_facts(const Host& host, Conversation& conversation, MachineCheck& check) {
  conversation.ask("facts\n");
  std::string text;
  while (true) {
    const auto line = conversation.answer();
    if (!line) return tl::unexpected(line.error());
    text += *line + "\n";
    if (*line == "end") break;
    if (text.size() > kMostFacts)
      return tl::unexpected(HostFailure{{host.name() + " says too much of itself"}, false});
  }
  auto facts = facts_from_lines(text);
  if (!facts)
    return tl::unexpected(HostFailure{{host.name() + ": " + facts.error().text}, false});
  check.facts = std::move(*facts);
  return {};
}

HostResult<void> talk(const Host& host, const PlaceSetup& site, const Interrupt& interrupt,
                      MachineCheck& check) {
  auto conversation = begin(host, site, interrupt);
  if (!conversation) return tl::unexpected(conversation.error());
  auto done = look_at_clock(*conversation, check);
  if (done) done = time_link(*conversation, check);
  if (done) done = take_facts(host, *conversation, check);
  return done;
}

bool has_program(const MachineFacts& facts, const char* program) {
  return std::find(facts.programs.begin(), facts.programs.end(), program) != facts.programs.end();
}

void note_lacking(const PlaceSetup& site, MachineCheck& check) {
  const MachineFacts& facts = check.facts;
  const bool slurm = std::holds_alternative<SlurmPlace>(site.place);
  if (!is_here(site.place) && !has_program(facts, "rsync"))
    check.lacking.push_back("rsync: sudo apt install rsync, or what the system has instead");
  if (slurm && !has_program(facts, "sbatch"))
    check.lacking.push_back("sbatch: name the login node of the cluster with login = \"...\"");
  if (facts.disk_free_bytes < kLeastFree)
    check.lacking.push_back(fmt::format(
        "disk space: {} free for {}; free some, or name another place with folder = \"...\"",
        format_bytes(facts.disk_free_bytes), facts.folder));
}

void take_node(NodeAnswer answer, MachineCheck& check) {
  if (answer.facts) {
    check.facts = std::move(*answer.facts);
  } else {
    check.node_not_asked = answer.is_busy ? answer.why : "none could be asked";
    if (!answer.is_busy) check.lacking.push_back(answer.why);
  }
}

std::string facts_text(const std::string& folder) {
  const SignsOfLife alive;
  return to_lines(facts_of_this_machine(folder));
}

std::string first_word(std::string_view text) {
  return std::string(text.substr(0, text.find(' ')));
}

}  // namespace

MachineCheck check_site(const PlaceSetup& site, Seconds node_patience, const Interrupt& interrupt) {
  MachineCheck check;
  const std::unique_ptr<Host> host = host_of(site.place);
  if (is_here(site.place)) {
    const char* home = std::getenv("HOME");
    check.facts = facts_of_this_machine(std::string(home == nullptr ? "" : home) + "/.cache/lapcast");
  } else if (auto done = talk(*host, site, interrupt, check); !done) {
    check.unreachable = done.error().reason;
    return check;
  }
  note_lacking(site, check);
  const bool slurm = std::holds_alternative<SlurmPlace>(site.place);
  if (slurm && has_program(check.facts, "sbatch"))
    take_node(ask_node(*host, site, node_patience, interrupt), check);
  return check;
}

void answer_checks(const std::string& folder) {
  LineBuffer lines;
  std::string piece(256 << 10, '\0');
  std::int64_t to_take = 0;
  MonotonicNs said_ns = 0;
  const auto say = [&](const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    said_ns = monotonic_ns();
  };
  while (true) {
    const ssize_t got = read(0, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    while (!bytes.empty()) {
      if (to_take > 0) {
        const auto taken = std::min<std::int64_t>(to_take, static_cast<std::int64_t>(bytes.size()));
        bytes.remove_prefix(static_cast<std::size_t>(taken));
        to_take -= taken;
        if (to_take > 0 && monotonic_ns() - said_ns > kSignOfLifeEvery)
          say(fmt::format("{}\n", kSignOfLife));
        if (to_take == 0) say("took\n");
        continue;
      }
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      lines.append(bytes.substr(0, end));
      bytes.remove_prefix(end);
      const auto line = lines.next();
      if (!line) continue;
      const std::string word = first_word(*line);
      if (word == "clock") say(fmt::format("clock {}\n", wall_clock_ns()));
      if (word == "facts") say(facts_text(folder));
      if (word == "take") to_take = std::strtoll(line->c_str() + 4, nullptr, 10);
    }
  }
}

}  // namespace lapcast
