#include "remote/host_check.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "discover/discover.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/agent_protocol.h"
#include "remote/agent_session.h"
#include "remote/slurm_check.h"

namespace lapcast {

// This machine ------------------------------------------------------------------------------------

namespace {

using namespace std::chrono_literals;

constexpr const char* kPrograms[] = {"rsync", "sbatch", "sinfo", "nvidia-smi"};

// Reads versions from the packages' metadata, since importing the packages takes seconds. Leaves
// out the folder that lapcast was started in, whose files may have the names of Python's own
// modules.
constexpr const char* kAskPython =
    "import sys\n"
    "sys.path[:] = [path for path in sys.path if path]\n"
    "from importlib import metadata\n"
    "print('.'.join(map(str, sys.version_info[:3])))\n"
    "for name in sys.argv[1:]:\n"
    "    try:\n"
    "        print(metadata.version(name))\n"
    "    except metadata.PackageNotFoundError:\n"
    "        print()\n";

/// Returns the version of Python and then those of packages in it; empty for what is absent.
std::vector<std::string> versions_in_python(std::vector<std::string> packages) {
  std::vector<std::string> versions(packages.size() + 1);
  packages.insert(packages.begin(), {"python3", "-c", kAskPython});
  LineBuffer lines;
  lines.append(output_of(packages, 20s).value_or(""));
  for (std::string& version : versions) version = printable(lines.next().value_or(""), 60);
  return versions;
}

void ask_python(MachineFacts& facts) {
  const auto versions = versions_in_python({"torch", "tensorflow"});
  facts.python = versions[0];
  facts.torch = versions[1];
  facts.tensorflow = versions[2];
}

void ask_disk(MachineFacts& facts) {
  struct statvfs disk {};
  if (!make_private_folders(facts.folder) || statvfs(facts.folder.c_str(), &disk) != 0) return;
  facts.disk_free_bytes = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
  facts.disk_bytes = static_cast<std::int64_t>(disk.f_blocks * disk.f_frsize);
}

}  // namespace

std::pair<std::string, std::string> torch_of_this_machine() {
  const auto versions =
      versions_in_python({"torch", "nvidia-cudnn-cu13", "nvidia-cudnn-cu12", "nvidia-cudnn-cu11"});
  const auto cudnn = std::find_if(versions.begin() + 2, versions.end(),
                                  [](const std::string& version) { return !version.empty(); });
  return {versions[1], cudnn == versions.end() ? "" : *cudnn};
}

MachineFacts facts_of_this_machine(const std::string& folder) {
  MachineFacts facts;
  facts.machine = describe_this_machine();
  facts.folder = folder;
  ask_disk(facts);
  ask_python(facts);
  for (const char* program : kPrograms)
    if (find_program(program)) facts.programs.push_back(program);
  return facts;
}

namespace {

constexpr int kClockLooks = 7;
constexpr std::size_t kMostFacts = 1 << 20;  // bytes of all that a machine says of itself
constexpr std::int64_t kLeastFree = 1LL << 30;

/// Takes offset and latency from the question with the shortest round trip, as NTP does (RFC 5905).
HostResult<void> ask_clock(AgentSession& session, MachineCheck& check) {
  for (int look = 0; look < kClockLooks; ++look) {
    const std::int64_t asked = wall_clock_ns();
    const MonotonicNs begin = monotonic_ns();
    session.write(to_line(question::Clock{}));
    const auto answer = session.next_line();
    if (!answer) return tl::unexpected(answer.error());
    const Seconds latency = from_ns(monotonic_ns() - begin);
    const auto remote_clock = parse_clock_answer(*answer);
    if (!remote_clock || (check.latency && *check.latency <= latency)) continue;
    check.latency = latency;
    check.clock_offset = from_ns(*remote_clock - asked) - latency / 2;
  }
  return {};
}

/// Returns a function that gives that many bytes in pieces: a simple random sequence, which no link
/// can compress.
std::function<std::string()> random_pieces(std::int64_t bytes) {
  return [left = bytes, state = std::uint64_t{1}]() mutable {
    constexpr std::int64_t kPiece = 1 << 18;
    std::string piece(static_cast<std::size_t>(std::min(left, kPiece)), '\0');
    left -= std::ssize(piece);
    for (char& byte : piece) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      byte = static_cast<char>(state >> 56);
    }
    return piece;
  };
}

/// Sends more and more until it takes long enough to be timed: up to 64 MiB on a fast link, for
/// less than a second on a slow one.
HostResult<void> time_link(AgentSession& session, MachineCheck& check) {
  constexpr Seconds kLongEnough{0.2};
  for (std::int64_t bytes = 1 << 18; bytes <= 64 << 20; bytes *= 8) {
    const MonotonicNs begin = monotonic_ns();
    session.write(to_line(question::Take{bytes}));
    session.write_pieces(random_pieces(bytes));
    const auto answer = session.next_line();
    if (!answer) return tl::unexpected(answer.error());
    const Seconds time = from_ns(monotonic_ns() - begin) - check.latency.value_or(Seconds{0});
    if (time > Seconds{0}) check.bytes_per_second = static_cast<double>(bytes) / time.count();
    if (time > kLongEnough) break;
  }
  return {};
}

HostResult<void> take_facts(const Host& host, AgentSession& session, MachineCheck& check) {
  session.write(to_line(question::Facts{}));
  std::string text;
  while (true) {
    const auto line = session.next_line();
    if (!line) return tl::unexpected(line.error());
    text += *line + "\n";
    if (*line == kEndOfFacts) break;
    if (text.size() > kMostFacts)
      return tl::unexpected(HostFailure{{host.name() + " says too much of itself"}, false});
  }
  auto facts = parse_facts(text);
  if (!facts) return tl::unexpected(HostFailure{{host.name() + ": " + facts.error().text}, false});
  check.facts = std::move(*facts);
  return {};
}

HostResult<void> ask(const Host& host, const PlaceSetup& setup, const Interrupt& interrupt,
                     MachineCheck& check) {
  Delivery delivery(host, setup, interrupt, [](const std::string&) {});
  // The first question opens the connection, so that the questions that are timed find it open.
  auto session = AgentSession::start(host, delivery, interrupt,
                                     agent_arguments({AgentTask::Kind::checks, "."}),
                                     [] { return to_line(question::Clock{}); });
  if (!session) return tl::unexpected(session.error());
  auto done = ask_clock(*session, check);
  if (done) done = time_link(*session, check);
  if (done) done = take_facts(host, *session, check);
  return done;
}

bool has_program(const MachineFacts& facts, const char* program) {
  return std::find(facts.programs.begin(), facts.programs.end(), program) != facts.programs.end();
}

void note_lacking(const PlaceSetup& setup, MachineCheck& check) {
  const MachineFacts& facts = check.facts;
  const bool slurm = std::holds_alternative<SlurmPlace>(setup.place);
  if (!is_this_machine(setup.place) && !has_program(facts, "rsync"))
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

}  // namespace

std::int64_t wall_clock_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

MachineCheck check_site(const PlaceSetup& setup, Seconds node_patience,
                        const Interrupt& interrupt) {
  MachineCheck check;
  const std::unique_ptr<Host> host = host_of(setup.place);
  if (is_this_machine(setup.place)) {
    const char* home = std::getenv("HOME");
    check.facts =
        facts_of_this_machine(std::string(home == nullptr ? "" : home) + "/.cache/lapcast");
  } else if (auto done = ask(*host, setup, interrupt, check); !done) {
    check.unreachable = done.error().reason;
    return check;
  }
  note_lacking(setup, check);
  const bool slurm = std::holds_alternative<SlurmPlace>(setup.place);
  if (slurm && has_program(check.facts, "sbatch"))
    take_node(ask_node(*host, setup, node_patience, interrupt), check);
  return check;
}

}  // namespace lapcast
