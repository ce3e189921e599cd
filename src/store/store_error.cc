#include "store/store_error.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

#include "core/units.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

struct WordReader {
  const char* what;
  const char* advice;
};

bool is_full(int code, int system_errno) {
  return (code & 0xFF) == SQLITE_FULL || system_errno == ENOSPC || system_errno == EDQUOT;
}

WordReader words_for(int code, int system_errno) {
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

/// Returns, for damage only, the first thing that SQLite's own check finds.
std::string quick_check(SQLite::Database& db) {
  try {
    return ", " + db.execAndGet("PRAGMA quick_check(1)").getString();
  } catch (const SQLite::Exception&) {
    return "";
  }
}

}  // namespace

Error store_error(const std::filesystem::path& file, int code, int system_errno,
                  const std::string& detail) {
  const auto [what, advice] = words_for(code, system_errno);
  std::string in_brackets = printable(detail);
  if (system_errno != 0) in_brackets += fmt::format(": {}", std::strerror(system_errno));
  return Error(ExitCode::store_failed,
               fmt::format("the store '{}' {} ({}); {}", printable(file.native(), 500), what,
                           in_brackets, advice));
}

Error translated(const std::filesystem::path& file, const SQLite::Exception& error,
                 SQLite::Database* db) {
  const bool damaged = error.getErrorCode() == SQLITE_CORRUPT && db != nullptr;
  // Read before the check, which resets it; errno is of interest for input and output only.
  const bool io = error.getErrorCode() == SQLITE_IOERR || error.getErrorCode() == SQLITE_CANTOPEN;
  const int system_errno = io && db != nullptr ? sqlite3_system_errno(db->getHandle()) : 0;
  return store_error(
      file, error.getExtendedErrorCode() < 0 ? error.getErrorCode() : error.getExtendedErrorCode(),
      system_errno, error.what() + (damaged ? quick_check(*db) : ""));
}

}  // namespace lapcast
