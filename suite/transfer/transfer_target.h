#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "price/offer.h"
#include "probe/interrupt.h"
#include "query/program_content.h"
#include "remote/agent_session.h"
#include "remote/host.h"
#include "suite/transfer/piece_runner.h"

namespace lapcast {

struct TransferTarget {
  std::string text;                  // as the user wrote it
  std::shared_ptr<const Host> host;  // this machine if the target is a local folder
  std::string folder;                // absolute, or relative to the home folder of the host
  std::string own_folder = agent_folder({});  // lapcast's own one on it, relative or absolute, too
  bool is_remote = false;
  std::optional<Offer> price;  // of the machine, if a fleet file has it
};

/// Parses "HOST:FOLDER", or a folder of this machine: a path with no ':' before its first '/'. With
/// a fleet file HOST is one of its machines, else a host of the ssh config. Throws Error (usage)
/// for what is neither, and for a machine with a queue. An offer named in the fleet file has its
/// price by read_catalogs({}, own_prices).
TransferTarget transfer_target(const std::string& text, const std::string& fleet_file,
                               const std::string& own_prices = "");

/// Returns the program of pieces on this machine, which are below the folder `work`.
PieceProgram pieces_here(const std::filesystem::path& work, const std::vector<std::string>& program,
                         int workers);
/// Returns the program of pieces on the target, in its absolute folder `state`.
PieceProgram pieces_there(const TransferTarget& target, const std::string& state,
                          const std::string& destination, const std::vector<std::string>& program,
                          int workers);

/// Returns the files of a program that prepares in the current folder, by program_content().
ProgramContent content_of_preparation(const std::vector<std::string>& program);

/// Returns the folder of a transfer's state on the target, which is in lapcast's own folder.
std::string state_on_target(const TransferTarget& target, const std::string& id);
/// Creates the folder of a target and that of the state, and sends the files of the program, if
/// there are any, to the latter. Returns the real absolute path of the state's folder; the reason
/// says what failed, including that somebody else could change the state.
Result<std::string> begin_on_target(const TransferTarget& target, const std::string& state,
                                    const std::vector<std::string>& program,
                                    const Interrupt& interrupt);
/// Removes the state of a transfer from the target, and the folder of a sample, if there is one.
void end_on_target(const TransferTarget& target, const std::string& state,
                   const std::string& sample = "");

}  // namespace lapcast
