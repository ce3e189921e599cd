#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>

#include "core/units.h"
#include "posix/files.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChooseAnother = "choose another file with --store or LAPCAST_STORE";

void check_regular(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw store_failure(file, fmt::format("cannot be reached ({})", std::strerror(errno)),
                        kChooseAnother);
  }
  if (S_ISDIR(status.st_mode))
    throw store_failure(file, "is a folder", "name a file in it, such as lapcast.db");
  if (!S_ISREG(status.st_mode)) throw store_failure(file, "is not a regular file", kChooseAnother);
}

/// Creates the file unless it exists. Never opens one that exists: closing it again would drop the
/// locks of other connections that this process has to it (fcntl(2)).
void create_private_file(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) {
    ::close(fd);
  } else if (errno != EEXIST) {
    throw store_failure(file, fmt::format("cannot be created ({})", std::strerror(errno)),
                        kChooseAnother);
  }
}

struct Trouble {
  const char* what;
  const char* advice;
};

bool is_full(int code, int system_errno) {
  return (code & 0xFF) == SQLITE_FULL || system_errno == ENOSPC || system_errno == EDQUOT;
}

Trouble trouble_of(int code, int system_errno) {
  if (is_full(code, system_errno)) {
    return {"cannot grow: no space is left there",
            "free some and run the command again; what was stored before is whole"};
  }
  switch (code == SQLITE_IOERR_LOCK ? SQLITE_PROTOCOL : code & 0xFF) {
    case SQLITE_NOTADB:
      return {"is not a lapcast store", "choose another file with --store or LAPCAST_STORE"};
    case SQLITE_CORRUPT:
      return {"is damaged",
              "put back a copy, or save what can be read with `sqlite3 FILE .recover`"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {"is being written by another lapcast, which has held it for too long",
              "wait until that one has ended and run the command again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {"cannot be written",
              "make the file and its folder writable, or choose another with --store or "
              "LAPCAST_STORE"};
    case SQLITE_CANTOPEN:
      return {"cannot be opened", "check the permissions of the file and its folder"};
    case SQLITE_IOERR:
      return {"cannot be read or written", "check the disk; what was stored before is whole"};
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
      return {"cannot be locked there", "keep it on a local disk: --store or LAPCAST_STORE"};
    default:
      return {"cannot be used", "please report this with the words in brackets"};
  }
}

/// Returns the first thing that SQLite's own check finds; for damage only.
std::string quick_check(SQLite::Database& db) {
  try {
    return ", " + db.execAndGet("PRAGMA quick_check(1)").getString();
  } catch (const SQLite::Exception&) {
    return "";
  }
}

}  // namespace

Error store_failure(const fs::path& file, const std::string& what, const std::string& advice) {
  return Error(ExitCode::store_failed,
               fmt::format("the store '{}' {}; {}", printable(file.native(), 500), what, advice));
}

Error store_error(const std::filesystem::path& file, int code, int system_errno,
                  const std::string& detail) {
  const auto [what, advice] = trouble_of(code, system_errno);
  std::string in_brackets = printable(detail);
  if (system_errno != 0) in_brackets += fmt::format(": {}", std::strerror(system_errno));
  return store_failure(file, fmt::format("{} ({})", what, in_brackets), advice);
}

Error translated(const std::filesystem::path& file, const SQLite::Exception& error,
                 SQLite::Database* db) {
  const bool damaged = error.getErrorCode() == SQLITE_CORRUPT && db != nullptr;
  // The number is read before the check, which resets it; it tells of input and output only.
  const bool io = error.getErrorCode() == SQLITE_IOERR || error.getErrorCode() == SQLITE_CANTOPEN;
  const int system_errno = io && db != nullptr ? sqlite3_system_errno(db->getHandle()) : 0;
  return store_error(
      file, error.getExtendedErrorCode() < 0 ? error.getErrorCode() : error.getExtendedErrorCode(),
      system_errno, error.what() + (damaged ? quick_check(*db) : ""));
}

bool can_write(const fs::path& file) {
  return faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0;
}

void make_store_file(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    if (const auto made = make_private_folders(file.parent_path()); file.has_parent_path() && !made)
      throw store_failure(file, "cannot be made: " + made.error().text, kChooseAnother);
    create_private_file(file);
  }
  check_regular(file);
  if (!can_write(file)) {
    throw store_failure(
        file, fmt::format("cannot be written ({})", std::strerror(errno)),
        "make it writable (chmod u+w), or choose another file with --store or LAPCAST_STORE");
  }
}

void check_store_file(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 && errno == ENOENT) {
    throw store_failure(file, "does not exist",
                        "`lapcast probe` and `lapcast sweep` make one; see --store");
  }
  check_regular(file);
  if (faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0) {
    throw store_failure(file, fmt::format("cannot be read ({})", std::strerror(errno)),
                        kChooseAnother);
  }
}

bool wal_works_on(std::int64_t file_system_type) {
  // The numbers come from linux/magic.h and from the sources of the file systems.
  static constexpr std::uint32_t kWithoutSharedMemory[] = {
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB 2 and 3
      0x01021997,  // 9p
      0x65735546,  // FUSE: sshfs, s3fs, drvfs ...
      0x5346414F,  // AFS
      0x6B414653,  // kAFS
      0x73757245,  // Coda
      0x00C36400,  // Ceph
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x7461636F,  // OCFS2
      0x01161970,  // GFS2
      0xAAD7AAEA,  // PanFS
      0x786F4256,  // vboxsf
      0x7C7C6673,  // prl_fs
  };
  return std::ranges::find(kWithoutSharedMemory, static_cast<std::uint32_t>(file_system_type)) ==
         std::end(kWithoutSharedMemory);
}

bool wal_works_at(const fs::path& file) {
  struct statfs status {};
  return statfs(file.c_str(), &status) == 0 && wal_works_on(status.f_type);
}

std::string immutable_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : file.native())
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return uri + "?immutable=1";
}

fs::path default_store_file() {
  const auto value = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  if (const std::string file = value("LAPCAST_STORE"); !file.empty()) return file;
  const fs::path data = value("XDG_DATA_HOME");
  // The XDG rule is to ignore a name that is not absolute.
  if (data.is_absolute()) return data / "lapcast" / "lapcast.db";
  if (const std::string home = value("HOME"); !home.empty()) {
    return fs::path(home) / ".local/share/lapcast/lapcast.db";
  }
  throw Error(ExitCode::store_failed,
              "no place for the store: HOME is not set; name a file with --store or LAPCAST_STORE");
}

}  // namespace lapcast
