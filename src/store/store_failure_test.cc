// These tests break stores: each error is one line that says what, where and what to do, and
// nothing is lost.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "core/error.h"
#include "run/run.h"
#include "store/store.h"
#include "store/store_folder_test.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

using StoreFailure = InTestFolder;

lapcast::Run run_of_id(const std::string& id) {
  lapcast::Run run;
  run.context.id = id;
  return run;
}

void sql(const fs::path& file, const std::string& text) {
  SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(text);
}

std::string opened(const fs::path& file) {
  return error_of([&] { Store::open(file); });
}

TEST_F(StoreFailure, NotAFile) {
  EXPECT_THAT(opened(folder()), HasSubstr("is a folder; name a file in it"));
  EXPECT_THAT(opened("/dev/null"), HasSubstr("is not a regular file"));
  EXPECT_THAT(opened("/dev/full"), HasSubstr("is not a regular file"));
  EXPECT_THAT(opened("/dev/null/s.db"), HasSubstr("/dev/null"));
  EXPECT_THAT(opened("/proc/none/s.db"), HasSubstr("cannot be made"));
  EXPECT_THAT(opened(folder() / std::string(300, 'x')), HasSubstr("too long"));
  EXPECT_THAT(opened(""), HasSubstr("the store ''"));
  fs::create_symlink("nowhere", folder() / "dangling");
  EXPECT_THAT(opened(folder() / "dangling"), HasSubstr("cannot be reached"));
}

TEST_F(StoreFailure, MissingForReading) {
  EXPECT_THAT(error_of([&] { Store::open_existing(file()); }), HasSubstr("does not exist"));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(StoreFailure, NotADatabaseIsLeftAsItIs) {
  const std::string text = "my notes, longer than a header of SQLite\n" + std::string(5000, 'x');
  std::ofstream(file()) << text;
  EXPECT_THAT(opened(file()), HasSubstr("is not a lapcast store (file is not a database)"));
  std::ifstream in(file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST_F(StoreFailure, AnotherProgramsDatabaseIsLeftAsItIs) {
  sql(file(), "CREATE TABLE bookmarks (url TEXT)");
  EXPECT_THAT(opened(file()), HasSubstr("SQLite file of another program"));
  fs::remove(file());
  sql(file(), "PRAGMA application_id = 5");
  EXPECT_THAT(opened(file()), HasSubstr("SQLite file of another program"));
}

TEST_F(StoreFailure, ANewerSchemaSaysWhichAndWhose) {
  {
    lapcast::Run run = run_of_id("a");
    run.context.lapcast_version = "9.8.7\x1b[31m";
    Store::open(file()).add(run);
  }
  sql(file(), "PRAGMA user_version = 42");
  EXPECT_THAT(opened(file()), HasSubstr("has schema 42 of lapcast 9.8.7?, newer than schema 4"));
  EXPECT_THAT(error_of([&] { Store::open_existing(file()); }), HasSubstr("schema 42"));
  sql(file(), "DROP TABLE runs");
  EXPECT_THAT(opened(file()), HasSubstr("has schema 42, newer than"));
}

TEST_F(StoreFailure, DamageIsFoundAndNamed) {
  {
    Store store = Store::open(file());
    for (int i = 0; i < 200; ++i) store.add(run_of_id("run-" + std::to_string(i)));
  }
  const auto size = fs::file_size(file());
  std::fstream damage(file(), std::ios::in | std::ios::out | std::ios::binary);
  damage.seekp(4096);
  damage << std::string(size - 4096, '\x55');
  damage.close();
  EXPECT_THAT(error_of([&] { Store::open(file()).list(); }),
              AllOf(HasSubstr("is damaged (database disk image is malformed"),
                    HasSubstr("put back a copy")));
}

TEST_F(StoreFailure, AFileCutShortIsAnErrorNotACrash) {
  {
    Store store = Store::open(file());
    for (int i = 0; i < 50; ++i) store.add(run_of_id("run-" + std::to_string(i)));
  }
  for (const std::size_t size : {2u, 99u, 100u, 1000u, 4096u, 5000u, 20000u}) {
    fs::copy_file(file(), folder() / "cut.db");
    fs::resize_file(folder() / "cut.db", size);
    EXPECT_THAT(error_of([&] { Store::open(folder() / "cut.db").runs(); }),
                HasSubstr("the store '"))
        << size;
    fs::remove(folder() / "cut.db");
  }
}

TEST_F(StoreFailure, HeldForTooLongByAnother) {
  Store store = Store::open(file(), std::chrono::milliseconds(20));
  SQLite::Database other(file(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THAT(error_of([&] { store.add(run_of_id("a")); }),
              HasSubstr("is being written by another lapcast"));
  EXPECT_TRUE(store.list().empty());  // reading goes on
  other.exec("COMMIT");
  EXPECT_TRUE(store.add(run_of_id("a")));
}

/// Runs as an ordinary user, also where the tests run as root.
std::string as_user(const fs::path& folder, const std::function<std::string()>& work) {
  fs::permissions(folder, fs::perms::all);
  return in_child([&] {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      return std::string("no setuid");
    return work();
  });
}

TEST_F(StoreFailure, ReadOnlyFileCanBeReadButNotWritten) {
  const std::string text = as_user(folder(), [&] {
    Store::open(file()).add(run_of_id("a"));
    chmod(file().c_str(), 0400);
    return error_of([&] { Store::open(file()); }) + "\n" +
           Store::open_existing(file()).get("a").context.id;
  });
  EXPECT_THAT(text, HasSubstr("cannot be written (Permission denied); make it writable"));
  EXPECT_THAT(text, testing::EndsWith("\na"));
}

TEST_F(StoreFailure, ReadOnlyFolderCanBeReadFrom) {
  const std::string text = as_user(folder(), [&] {
    const fs::path file = folder() / "a/s#1.db";
    Store::open(file).add(run_of_id("a"));
    chmod((folder() / "a").c_str(), 0500);
    chmod(file.c_str(), 0400);
    const std::string id = Store::open_existing(file).get("a").context.id;
    const std::string error = error_of([&] { Store::open(folder() / "a/other.db"); });
    chmod((folder() / "a").c_str(), 0700);
    return id + "\n" + error;
  });
  EXPECT_THAT(text, testing::StartsWith("a\n"));
  EXPECT_THAT(text, HasSubstr("cannot be created (Permission denied)"));
}

TEST_F(StoreFailure, NotAllowedToLookAtAll) {
  const std::string text = as_user(folder(), [&] {
    Store::open(file());
    chmod(file().c_str(), 0);
    return error_of([&] { Store::open_existing(file()); });
  });
  EXPECT_THAT(text, HasSubstr("cannot be read (Permission denied)"));
}

// The file system has 256 KiB, in a namespace of its own where that is allowed.
TEST_F(StoreFailure, DiskFullKeepsWhatWasStored) {
  const std::string text = in_child([&]() -> std::string {
    const bool mounted = (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("lapcast", folder().c_str(), "tmpfs", 0, "size=256k") == 0;
    if (!mounted) return "skip";
    Store store = Store::open(file());
    int added = 0;
    const std::string error = error_of([&] {
      for (; added < 1000; ++added) {
        lapcast::Run run = run_of_id("run-" + std::to_string(added));
        run.standard_output = std::string(4000, 'x');
        store.add(run);
      }
    });
    const bool all_there = store.runs().size() == static_cast<std::size_t>(added) && added > 3;
    return error + (all_there ? "\nall there" : "\nlost some");
  });
  if (text == "skip") GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_THAT(text, HasSubstr("cannot grow: no space is left there"));
  EXPECT_THAT(text, HasSubstr("\nall there"));
}

TEST(StoreError, SaysWhatAndWhatToDo) {
  const auto text = [](int code, int system_errno) {
    const Error error = store_error("/x/s.db", code, system_errno, "detail");
    EXPECT_EQ(error.code(), ExitCode::store_failed);
    return std::string(error.what());
  };
  EXPECT_EQ(text(SQLITE_FULL, 0),
            "the store '/x/s.db' cannot grow: no space is left there (detail); free some and run "
            "the command again; what was stored before is whole");
  EXPECT_THAT(text(SQLITE_IOERR_WRITE, EDQUOT), HasSubstr("no space is left there"));
  EXPECT_THAT(text(SQLITE_IOERR_READ, EIO), HasSubstr("check the disk"));
  EXPECT_THAT(text(SQLITE_BUSY_SNAPSHOT, 0), HasSubstr("another lapcast"));
  EXPECT_THAT(text(SQLITE_READONLY_DBMOVED, 0), HasSubstr("cannot be written"));
  EXPECT_THAT(text(SQLITE_IOERR_LOCK, ENOLCK), HasSubstr("cannot be locked there"));
  EXPECT_THAT(text(SQLITE_MISUSE, 0), HasSubstr("please report"));
}

TEST(WalWorksOn, LocalFileSystemsOnly) {
  EXPECT_TRUE(wal_works_on(0xEF53));                                  // ext2 to ext4
  EXPECT_TRUE(wal_works_on(0x58465342));                              // XFS
  EXPECT_TRUE(wal_works_on(0x01021994));                              // tmpfs
  EXPECT_TRUE(wal_works_on(0x794C7630));                              // overlayfs
  EXPECT_FALSE(wal_works_on(0x6969));                                 // NFS
  EXPECT_FALSE(wal_works_on(0x01021997));                             // 9p
  EXPECT_FALSE(wal_works_on(static_cast<std::int32_t>(0xFF534D42)));  // CIFS, sign-extended
}

}  // namespace
}  // namespace lapcast
