#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/papers/measured_transfers.h"

namespace lapcast {

/// Names the folder next to the store in which results are kept.
inline constexpr const char* kTransferResults = "transfer-results";

/// Keeps the document of a transfer or of a link in a folder, as a private file of its own. Throws
/// Error (system) if that fails.
void keep_transfer_result(const std::filesystem::path& folder, const std::string& document);

/// Returns the transfers and links kept in a folder, the newest 200 at most, oldest first. Leaves
/// out other files, and transfers without a time of their own.
std::vector<MeasuredTransfer> kept_transfers(const std::filesystem::path& folder);

}  // namespace lapcast
