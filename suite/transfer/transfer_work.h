#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "posix/files.h"
#include "query/program_content.h"
#include "suite/transfer/transfer.h"
#include "suite/transfer/transfer_files.h"

namespace lapcast {

/// Records on this machine what a transfer has done, in a folder of its own, until it is complete:
/// the same transfer finds it again. Another folder, target, way or program makes another transfer;
/// if only files of the program changed, what was prepared before does not count.
class TransferWork {
 public:
  /// Finds the folder below TransferRequest::work.
  TransferWork(const TransferRequest& request, const TransferInput& input);

  /// Creates the folder and locks it. Removes what an earlier command has prepared with other files
  /// of the program. The reason says what failed; another lapcast may work on this transfer.
  Result<void> begin(const ProgramContent& program);
  /// Returns whether an earlier command has begun the transfer.
  bool is_resumed() const { return is_resumed_; }
  /// Returns the files of the program that changed since, sorted.
  const std::vector<std::string>& changed() const { return changed_; }
  /// Returns the sorted paths of what the program made before it changed that are not in `made`.
  std::vector<std::string> left_over(const std::vector<std::string>& made) const;

  /// Returns the name of the state on the target, which depends on the version of the program.
  std::string name_on_target() const { return name_with(begun_); }
  /// Returns that name before the program changed; empty if it did not.
  std::string former_name_on_target() const {
    return changed_.empty() ? "" : name_with(former_begun_);
  }
  /// Returns the folder, which has in/, out/ and done/.
  const std::filesystem::path& folder() const { return folder_; }

  /// Records what was prepared on another machine; preparing on this one records it already.
  Result<void> note_done(const Piece& piece, const std::vector<std::string>& made) const;
  /// Returns what an earlier command made of a piece; nullopt if it was not prepared.
  std::optional<std::vector<std::string>> made_of(const Piece& piece) const;
  void remove();

 private:
  Result<void> forget_prepared();
  std::string name_with(const std::string& begun) const;

  std::string id_;
  std::filesystem::path folder_;
  std::unique_ptr<FileLock> lock_;
  std::string begun_, former_begun_;  // descriptions of the program
  bool is_resumed_ = false;
  std::vector<std::string> changed_, former_;
};

}  // namespace lapcast
