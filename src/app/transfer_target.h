#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/piece_runner.h"
#include "core/error.h"
#include "price/offer.h"
#include "probe/interrupt.h"
#include "remote/host.h"

namespace lapcast {

/// Says where files are sent to.
struct TransferTarget {
  std::string text;                  // as the user wrote it
  std::shared_ptr<const Host> host;  // this machine where the target is a folder
  std::string folder;                // absolute, or relative to the home folder of the host
  bool is_remote = false;
  std::optional<Offer> price;  // of the machine, where a fleet file says it
};

/// Reads "HOST:FOLDER", or a folder of this machine: a path with no ':' before its first '/'. With
/// a fleet file HOST is one of its machines, else a host of the ssh config. Throws Error (usage)
/// for what is neither, and for a machine with a queue.
TransferTarget transfer_target(const std::string& text, const std::string& fleet_file);

/// Returns the program of pieces on this machine, which are below the folder `work`.
PieceProgram pieces_here(const std::filesystem::path& work, const std::vector<std::string>& program,
                         int workers);
/// Returns the program of pieces on the target, in the absolute folder `state` of it.
PieceProgram pieces_there(const TransferTarget& target, const std::string& state,
                          const std::string& destination, const std::vector<std::string>& program,
                          int workers);

/// Returns the folder of the target in which the state of a transfer lies.
std::string state_on_target(const TransferTarget& target, const std::string& id);
/// Makes the folder of a target and the one of the state in it, and sends the files of the program
/// to it unless that is empty. Returns the absolute path of the state's folder, as the target says
/// it; the reason says what failed.
Result<std::string> begin_on_target(const TransferTarget& target, const std::string& state,
                                    const std::vector<std::string>& program,
                                    const Interrupt& interrupt);
/// Removes the state of a transfer from the target.
void end_on_target(const TransferTarget& target, const std::string& state);

}  // namespace lapcast
