#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"
#include "posix/files.h"
#include "remote/program_files.h"

namespace lapcast {

/// Reaches the content of a folder by relative paths that lead neither out of the folder nor
/// through a symbolic link. Use it from one thread.
class RootedFolder {
 public:
  /// Says how paths are resolved: by openat2, or folder by folder where the kernel lacks it.
  enum class Resolver { kernel, walk };

  /// Opens the folder. Links above it are followed; a link in its own place is refused.
  explicit RootedFolder(const std::filesystem::path& folder, Resolver resolver = Resolver::kernel);
  bool is_open() const { return root_.is_open(); }

  /// Returns the type of what lies at a path: S_IFREG, S_IFLNK, S_IFDIR ... Returns 0 when nothing
  /// lies there, or the path leads through a link or out of the folder.
  mode_t type_of(const std::string& path);
  /// Removes the file, the link or the empty folder at a path. Returns false and sets errno when
  /// it still exists, or the path leads through a link or out of the folder.
  bool remove(const std::string& path);

 private:
  /// Returns the folder above a path, kept from the last call if it is the same; -1 and errno if it
  /// cannot be reached. The descriptor belongs to this object.
  int folder_above(const std::string& path);
  FileDescriptor open_below(const std::string& path) const;

  Resolver resolver_;
  FileDescriptor root_;
  std::string opened_path_;
  FileDescriptor opened_;
};

// A program is sent into FOLDER/work/NAME; the file NAME.received beside it lists what was sent. A
// list consists of texts that end with NUL, and one NUL more: the content, then a letter, a blank
// and a path for each file. Lower-case letters are those of FileKind; capitals are the same for
// data sets, and "P" is for the path of a data set, sent or not.

/// Limits the length of a list that is accepted.
inline constexpr std::size_t kMostListBytes = 256 << 20;

/// Returns the list of what is about to be sent. Of data sets with very many files it names only
/// the first ones: each file of the list is checked before each run.
std::string received_list(const ProgramFiles& files);

/// Makes a program's folder ready for the files of a list: creates the folder, removes files of an
/// earlier list that are not in this one, and makes way where a file's type has changed. Keeps what
/// the program or the set-up command wrote, and what lies at, below or above a data set; removes
/// nothing through a link. Until note_received() the folder counts as incomplete, and as not set
/// up. Returns whether anything was received there before.
Result<bool> make_ready(const std::filesystem::path& work_dir, std::string_view list);

/// Notes that all files of the list given to make_ready() have arrived; refuses another content.
Result<void> note_received(const std::filesystem::path& work_dir, const std::string& content);

/// Returns whether exactly that content was received completely and still exists. Checks each file
/// of the list and its type, and follows no link.
bool is_received(const std::filesystem::path& work_dir, const std::string& content);

/// Returns the file that notes which set-up a program's folder has had.
std::filesystem::path set_up_note(const std::filesystem::path& work_dir);

}  // namespace lapcast
