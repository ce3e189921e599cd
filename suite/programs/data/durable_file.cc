#include "data/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

/// Writes a folder's list of names through to the disk; some file systems cannot, which is not a
/// error.
void sync_folder(const fs::path& folder) {
  const int descriptor =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

DurableFile::DurableFile(fs::path file) : file_(std::move(file)), draft_(file_.string() + ".part") {
  descriptor_ = open(draft_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(draft_.string() + ": " + std::strerror(errno));
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(draft_.c_str());
}

void DurableFile::append(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    bytes = bytes.subspan(static_cast<size_t>(written));
    size_ += static_cast<uint64_t>(written);
  }
}

void DurableFile::finish() {
  if (fsync(descriptor_) != 0) fail("cannot be written to the disk");
  if (rename(draft_.c_str(), file_.c_str()) != 0) fail("cannot be renamed");
  close(std::exchange(descriptor_, -1));
  sync_folder(file_.parent_path());
}

void DurableFile::fail(const char* what) const {
  throw FileError(draft_.string() + ": byte " + std::to_string(size_) + ": " + what + ": " +
                  std::strerror(errno));
}

void write_durably(const fs::path& file, std::span<const uint8_t> bytes) {
  DurableFile out(file);
  out.append(bytes);
  out.finish();
}

void write_durably(const fs::path& file, std::string_view text) {
  write_durably(file, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace lapcast::workloads
