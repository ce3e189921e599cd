#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "probe/interrupt.h"
#include "remote/host.h"

namespace lapcast {

/// Records which piece made which file, to reject files that cannot be in one folder.
class MadeNames {
 public:
  /// Adds the paths of the files that a piece made. The reason names a file that another piece also
  /// made, or that is a folder of a file of another piece; then nothing is added.
  Result<void> add(std::size_t piece, const std::vector<std::string>& paths);

 private:
  std::map<std::string, std::size_t> files_;  // with the piece that made them
  std::set<std::string> folders_;
};

/// A script for one command line of sh that takes a folder as $1, followed by paths in it. It
/// prints which of these files are folders, and which folders that they need are something else: a
/// file, or a link, through which nothing is written.
extern const char* const kFindInTheWay;

/// Fails if something in a folder of a host is in the way of files with these paths; the reason
/// names it. The folder is absolute, or relative to the home folder.
Result<void> nothing_in_the_way(const Host& host, const std::string& folder,
                                const std::vector<FolderPaths>& files, const Interrupt& interrupt);

/// Removes what a killed rsync left next to these files, which are in folders of one folder of a
/// host: temporary and partial files. The folder is absolute, or relative to the home folder.
Result<void> remove_left_by_rsync(const Host& host, const std::string& folder,
                                  const std::vector<FolderPaths>& files,
                                  const Interrupt& interrupt);

/// Returns the paths in a list in which each ends with NUL, without a leading "./".
std::vector<std::string> paths_in(std::string_view list);

}  // namespace lapcast
