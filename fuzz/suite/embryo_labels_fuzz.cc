#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "data/byte_file.h"
#include "embryo/frames.h"

using namespace lapcast::workloads;

namespace {

namespace fs = std::filesystem;

/// Makes a folder with two frames and removes it at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("embryo_labels_fuzz." + std::to_string(getpid()))) {
    fs::create_directories(path_);
    for (const char* name : {"E00Frame1.png", "E5Frame02.png"}) std::ofstream(path_ / name);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

/// Checks that a table of labels of any bytes is read or refused with a FileError of one line. A
/// table that is read has both frames, with 1 to 4 cells.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  std::ofstream(folder.path() / "labels.csv", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const std::vector<Frame> frames = list_frames(folder.path());
    if (frames.size() != 2) std::abort();
    for (const Frame& frame : frames) {
      if (frame.cells < 1 || frame.cells > kCellClasses) std::abort();
    }
  } catch (const FileError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
