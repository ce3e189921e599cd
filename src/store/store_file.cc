#include "store/store_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "core/units.h"
#include "posix/private_files.h"
#include "store/store.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what, const char* advice) {
  throw Error(ExitCode::store_failed,
              fmt::format("the store '{}' {}; {}", printable(file.native(), 500), what, advice));
}

constexpr const char* kChooseAnother = "choose another file with --store or LAPCAST_STORE";

void check_regular(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    fail(file, fmt::format("cannot be reached ({})", std::strerror(errno)), kChooseAnother);
  }
  if (S_ISDIR(status.st_mode)) fail(file, "is a folder", "name a file in it, such as lapcast.db");
  if (!S_ISREG(status.st_mode)) fail(file, "is not a regular file", kChooseAnother);
}

/// Never opens a file that exists: closing it again would drop the locks of other connections that
/// this process has to it (fcntl(2)).
void create_private_file(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) {
    ::close(fd);
  } else if (errno != EEXIST) {
    fail(file, fmt::format("cannot be created ({})", std::strerror(errno)), kChooseAnother);
  }
}

}  // namespace

bool can_write(const fs::path& file) {
  return faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0;
}

void make_store_file(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    if (const auto made = make_private_folders(file.parent_path()); file.has_parent_path() && !made)
      fail(file, "cannot be made: " + made.error().text, kChooseAnother);
    create_private_file(file);
  }
  check_regular(file);
  if (!can_write(file)) {
    fail(file, fmt::format("cannot be written ({})", std::strerror(errno)),
         "make it writable (chmod u+w), or choose another file with --store or LAPCAST_STORE");
  }
}

void check_store_file(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 && errno == ENOENT) {
    fail(file, "does not exist", "`lapcast probe` and `lapcast sweep` make one; see --store");
  }
  check_regular(file);
  if (faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0) {
    fail(file, fmt::format("cannot be read ({})", std::strerror(errno)), kChooseAnother);
  }
}

bool wal_works_on(std::int64_t file_system_type) {
  // linux/magic.h and the file systems' own sources.
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
  return std::find(std::begin(kWithoutSharedMemory), std::end(kWithoutSharedMemory),
                   static_cast<std::uint32_t>(file_system_type)) == std::end(kWithoutSharedMemory);
}

bool wal_works_at(const fs::path& file) {
  struct statfs status {};
  return statfs(file.c_str(), &status) == 0 && wal_works_on(status.f_type);
}

std::string immutable_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : file.native()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

fs::path default_store_file() {
  const auto value = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  if (const std::string file = value("LAPCAST_STORE"); !file.empty()) return file;
  const fs::path data = value("XDG_DATA_HOME");
  if (data.is_absolute()) return data / "lapcast" / "lapcast.db";  // the XDG rule: absolute only
  if (const std::string home = value("HOME"); !home.empty()) {
    return fs::path(home) / ".local/share/lapcast/lapcast.db";
  }
  throw Error(ExitCode::store_failed,
              "no place for the store: HOME is not set; name a file with --store or LAPCAST_STORE");
}

}  // namespace lapcast
