#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/papers/measured_transfers.h"

namespace lapcast {

/// Names the folder beside the store in which results are kept.
inline constexpr const char* kTransferResults = "transfer-results";

/// Keeps the document of a transfer or of a link in a folder, as a private file of its own. Throws
/// Error (system) where that fails.
void keep_transfer_result(const std::filesystem::path& folder, const std::string& document);

/// Returns the transfers and links that were kept in a folder, the oldest first, at most the newest
/// 200. Files that are none, and transfers without a time of their own, are left out.
std::vector<MeasuredTransfer> kept_transfers(const std::filesystem::path& folder);

}  // namespace lapcast
