#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "machine/place.h"

namespace lapcast {

/// Says why a file is not sent.
enum class Ignored {
  no,
  as_secret,   // by a default rule for keys, tokens and passwords
  by_default,  // by another default rule: version control, caches
  by_user,     // by the .lapcastignore
};

/// Decides which files of a folder are not sent, as a .gitignore does: one pattern per line, "#"
/// begins a comment, the last matching pattern counts, "!" includes a file again, "/" at the end
/// matches folders only, "/" at any other place anchors a pattern at the top, "**" stands for any
/// number of folders. What lies in a folder that is not sent cannot be included again.
class IgnoreRules {
 public:
  /// Returns the rules for a program's folder without a .lapcastignore.
  static IgnoreRules defaults();
  /// Returns the rules that also hold inside data sets: keys, tokens, passwords, shell histories.
  static IgnoreRules secrets();

  /// Adds the lines of a .lapcastignore. Refuses one that is not UTF-8 text or has too many lines.
  Result<void> add(std::string_view text) { return add(text, Ignored::by_user, false); }
  /// Adds only the lines that include something again ("!").
  Result<void> add_exceptions(std::string_view text) { return add(text, Ignored::by_user, true); }
  /// Returns why a path is not sent. The path is relative to the top, without "./".
  Ignored why_ignored(std::string_view path, bool is_folder) const;
  bool ignores(std::string_view path, bool is_folder) const {
    return why_ignored(path, is_folder) != Ignored::no;
  }

 private:
  struct Rule {
    std::string pattern;  // without "!" and slashes at its ends
    Ignored why = Ignored::by_user;
    bool takes_in = false;
    bool folders_only = false;
    bool from_top = false;
  };
  Result<void> add(std::string_view text, Ignored why, bool only_exceptions);
  void add_patterns(std::string patterns, Ignored why);

  std::vector<Rule> rules_;
};

/// Says what an entry of a list is; the value is its letter in the list that is sent.
enum class FileKind : char { file = 'f', link = 'l', empty_folder = 'd' };

/// Names one thing that is sent; a symbolic link is sent as a link.
struct ListedFile {
  std::string path;  // relative to the list's folder, without "./"
  FileKind kind = FileKind::file;
  std::int64_t bytes = 0;  // for a link the length of its target's name
};

/// Names a file or folder that a default rule does not send.
struct UnsentFile {
  std::string path;
  Ignored why = Ignored::as_secret;  // or by_default
};

/// Names all that is sent of one folder; what is not listed never leaves this machine.
struct FileList {
  std::filesystem::path folder;
  std::vector<ListedFile> files;   // sorted by path
  std::vector<UnsentFile> unsent;  // sorted by path
  std::int64_t bytes = 0;
  std::string content;  // a hash of paths, types, modes, sizes and modification times
};

/// Says which files of a folder are listed.
struct ListRequest {
  std::filesystem::path folder;                      // absolute
  std::string start = {};                            // relative to it; empty = all of the folder
  IgnoreRules rules = {};                            // not asked about `start` itself
  std::vector<std::filesystem::path> left_out = {};  // absolute paths that are not part of it
  std::int64_t most_bytes = INT64_MAX;
  std::size_t most_files = SIZE_MAX;
};

/// Lists files, links and empty folders; a folder that holds anything, even if nothing of it is
/// sent, is not an empty one. No link is followed. Pipes, sockets and devices are left out. The
/// reason names a folder that cannot be read, or says what is large when there is more than the
/// request allows.
Result<FileList> list_files(const ListRequest& request);

/// Returns the bytes of a file, or of all files below a folder; no link is followed.
std::int64_t bytes_below(const std::filesystem::path& path);

/// Lists a data set that is sent.
struct SentData {
  std::string path;  // as data_path() says it
  FileList list;     // of the program's folder, or of the folder above an absolute path
};

/// Lists a program's folder and its data sets, as they are sent to a remote machine.
struct ProgramFiles {
  FileList program;
  std::vector<SentData> data;
  std::vector<std::string> data_paths;  // of all data sets, sent or not
  std::string content;                  // a hash over the lists of the program and the data
  std::string name;                     // of its remote folder: its own name and a hash of its path
};

/// Limit a program; a larger folder most likely holds data or results.
inline constexpr std::int64_t kMostProgramBytes = 2LL << 30;
inline constexpr std::size_t kMostProgramFiles = 100'000;

/// Lists what is sent, by IgnoreRules and the folder's .lapcastignore. Data sets and `left_out`
/// (absolute paths of files, such as the store) are not part of the program. A data set is sent
/// whole, except for what looks like a secret. Returns the reason when a folder is /, the home
/// folder or one above it, the program is too large, or something cannot be read.
Result<ProgramFiles> program_files(const std::filesystem::path& folder,
                                   const std::vector<DataSet>& data,
                                   const std::vector<std::filesystem::path>& left_out = {});

/// Returns the files of a store, which are never sent.
std::vector<std::filesystem::path> store_files(const std::filesystem::path& store);

/// Returns the name of a program's folder on other machines, which does not depend on its content.
std::string work_name(const std::filesystem::path& folder);

/// Returns a data set's path without "." and without slashes at its end or beside each other.
std::string data_path(const DataSet& set);

/// Returns a warning that names files which default rules did not send; empty = there are none.
std::string unsent_warning(const ProgramFiles& files);

}  // namespace lapcast
