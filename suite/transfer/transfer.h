#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe/interrupt.h"
#include "suite/transfer/piece_runner.h"
#include "suite/transfer/transfer_files.h"
#include "suite/transfer/transfer_report.h"
#include "suite/transfer/transfer_target.h"
#include "suite/transfer/transfer_ways.h"

namespace lapcast {

struct TransferRequest {
  std::string folder;
  TransferTarget target;
  std::vector<std::string> program;  // prepares {in} into {out}; empty = files are only sent
  TransferWay way = TransferWay::here_overlapped;
  int workers = 1;                // on the machine that prepares
  std::size_t piece_files = 0;    // 0 = usual_piece_files()
  std::vector<std::string> with;  // paths in the folder of files that every piece gets
  std::filesystem::path work;     // parent folder of a transfer's state until it is complete
};

/// Receives the progress, such as "sent 12 of 400 files, 8.7 MB/s".
using TransferProgress = std::function<void(const std::string& what)>;

/// Prepares and sends the files of a folder. If an interrupted command is given again, its work
/// counts; contents that may be incomplete are then compared by checksum, and nothing that arrived
/// is sent again. A piece whose program fails is left out and named. Throws Error (usage, bad
/// input, system, interrupted); the state then stays.
TransferResult transfer(const TransferRequest& request, const Interrupt& interrupt,
                        const TransferProgress& tell);

/// Lists the files of a transfer, without its own state and without the target if that is among
/// them. Throws Error (usage) if they are the target, and the errors of transfer_input().
TransferInput transfer_input_of(const TransferRequest& request);

}  // namespace lapcast
