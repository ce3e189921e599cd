#include "suite/transfer/transfer_target.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <system_error>

#include "core/units.h"
#include "fleet/fleet_file.h"
#include "query/input_files.h"
#include "remote/agent_session.h"
#include "remote/received_files.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFolder = "/transfers";
// Takes the target's folder as $1, and the folder of the state as $2. A program is started from the
// state, so nobody else may be able to change or replace it: each folder from it up to / belongs to
// this user or root, and others may write into a parent folder only if they cannot rename what is
// not theirs.
constexpr const char* kBeginOnTarget =
    "cd && mkdir -p -- \"$1\" && umask 077 && mkdir -p -- \"$2\" && cd -P -- \"$2\" || exit 1; "
    "u=$(id -u); (above=; while l=$(ls -ldn .); do set -- $l; "
    "case $3 in $u | 0) ;; *) echo \"$(pwd -P) belongs to another user\" >&2; exit 1 ;; esac; "
    "case $1 in ?????w* | ????????w*) case $above$1 in +?????????[tT]*) ;; "
    "*) echo \"others may write into $(pwd -P): chmod go-w it\" >&2; exit 1 ;; esac ;; esac; "
    "[ \"$(pwd -P)\" = / ] && exit; above=+; cd -P ..; done; exit 1) && "
    "mkdir -p in out done program && pwd -P";
// Takes the folder of the state as $1, its parent folder as $2, and optionally another folder.
constexpr const char* kEndOnTarget =
    "cd && rm -rf -- \"$1\" ${3:+\"$3\"} && { rmdir -- \"$2\" 2>/dev/null || true; }";

std::optional<Offer> offer_of(const FleetMachine& machine, const std::string& own_prices) {
  if (machine.offer || machine.offer_name.empty()) return machine.offer;
  const auto offers = read_catalogs({}, own_prices).offers;
  const Offer* offer = offer_of_name(offers, machine.offer_name);
  return offer == nullptr ? std::nullopt : std::optional(*offer);
}

void take_machine(TransferTarget& target, const std::string& name, const std::string& fleet_file,
                  const std::string& own_prices) {
  const Fleet fleet = read_fleet_file(fleet_file);
  const FleetMachine& machine = find_machine(fleet, name, fleet_file);
  if (is_queued(machine.place_setup.place))
    throw Error(ExitCode::usage,
                fmt::format("{} has a queue: send to the ssh host of its login node, HOST:FOLDER",
                            printable(name)));
  target.host = host_of(machine.place_setup.place);
  target.own_folder = agent_folder(machine.place_setup);
  target.is_remote = !is_this_machine(machine.place_setup.place);
  target.price = offer_of(machine, own_prices);
}

/// Returns the files of the program that are in the current folder.
std::vector<std::string> files_of_program(const std::vector<std::string>& program) {
  RootedFolder current(fs::current_path());
  std::vector<std::string> files;
  for (const auto& [name, hash] : content_of_preparation(program))
    if (!name.starts_with('/') && S_ISREG(current.type_of(name))) files.push_back(name);
  return files;
}

}  // namespace

ProgramContent content_of_preparation(const std::vector<std::string>& program) {
  RunContext context;
  context.program = program;
  context.working_dir = fs::current_path().string();
  return program_content({context});
}

TransferTarget transfer_target(const std::string& text, const std::string& fleet_file,
                               const std::string& own_prices) {
  TransferTarget target{.text = text};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find('/') < colon) {
    target.host = std::make_shared<LocalHost>();
    std::error_code error;
    target.folder = fs::weakly_canonical(fs::absolute(text, error), error).string();
    if (target.folder.size() > 1 && target.folder.ends_with('/')) target.folder.pop_back();
    if (text.empty() || error || target.folder == "/")
      throw Error(ExitCode::usage, "--to is HOST:FOLDER, or a folder of this machine");
    return target;
  }
  const std::string name = text.substr(0, colon);
  target.folder = text.substr(colon + 1);
  if (target.folder.starts_with("~/")) target.folder.erase(0, 2);
  if (name.empty() || target.folder.empty() || target.folder == "/" || target.folder == "~")
    throw Error(ExitCode::usage, fmt::format("--to '{}': name a folder behind the host, such as "
                                             "gpu-box:data/eyes",
                                             printable(text)));
  target.is_remote = true;
  if (fleet_file.empty())
    target.host = std::make_shared<SshHost>(name);
  else
    take_machine(target, name, fleet_file, own_prices);
  return target;
}

PieceProgram pieces_here(const fs::path& work, const std::vector<std::string>& program,
                         int workers) {
  return {.folder = work.string(),
          .working_dir = fs::current_path().string(),
          .seen_folder = work.string(),
          .program = program,
          .workers = workers};
}

PieceProgram pieces_there(const TransferTarget& target, const std::string& state,
                          const std::string& destination, const std::vector<std::string>& program,
                          int workers) {
  return {.folder = state,
          .working_dir = target.is_remote ? "program" : fs::current_path().string(),
          .seen_folder = state,
          .destination = destination,
          .program = program,
          .workers = workers};
}

std::string state_on_target(const TransferTarget& target, const std::string& id) {
  return target.own_folder + kStateFolder + "/" + id;
}

Result<std::string> begin_on_target(const TransferTarget& target, const std::string& state,
                                    const std::vector<std::string>& program,
                                    const Interrupt& interrupt) {
  const auto made = target.host->run({"sh", "-c", kBeginOnTarget, "sh", target.folder, state},
                                     {.interrupt = &interrupt});
  if (!made) return tl::unexpected(made.error().reason);
  if (made->status != 0)
    return because(fmt::format("{} and the state in {} cannot be kept on {}: {}",
                               printable(target.folder), printable(state), target.host->name(),
                               printable(last_lines(made->error, 1), 300)));
  std::string folder = made->output.substr(0, made->output.rfind('\n'));
  if (program.empty() || !target.is_remote) return folder;
  // Others may be able to change a link in the state's original path, but not in this one.
  const auto sent = target.host->copy_to(fs::current_path(), files_of_program(program),
                                         folder + "/program", {.interrupt = &interrupt});
  if (!sent) return tl::unexpected(sent.error().reason);
  return folder;
}

void end_on_target(const TransferTarget& target, const std::string& state,
                   const std::string& sample) {
  // What remains is small, and the next transfer ignores it.
  [[maybe_unused]] const auto ended = target.host->run(
      {"sh", "-c", kEndOnTarget, "sh", state, target.own_folder + kStateFolder, sample});
}

}  // namespace lapcast
