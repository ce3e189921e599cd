#include "retina/prepare.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "data/picture_formats.h"

namespace lapcast::workloads {
namespace {

enum PrepareStage : size_t { kRead, kDecode, kFindEye, kResize, kEncode };

constexpr int64_t kMostFileBytes = int64_t{1} << 30;

/// Adds the time since it was made to one stage.
class StageClock {
 public:
  StageClock(StageSeconds& seconds, PrepareStage stage) : sum_(seconds[stage]) {}
  ~StageClock() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

struct OpenFile {
  explicit OpenFile(const std::filesystem::path& file)
      : descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor;
};

[[noreturn]] void throw_unreadable() {
  throw PictureError(std::string("cannot be read: ") + std::strerror(errno));
}

}  // namespace

void EyePreparer::load(const std::filesystem::path& file) {
  const OpenFile in(file);
  struct stat about {};
  if (in.descriptor < 0 || fstat(in.descriptor, &about) != 0) throw_unreadable();
  if (!S_ISREG(about.st_mode)) throw PictureError("is not a file");
  if (about.st_size == 0) throw PictureError("the file is empty");
  if (about.st_size > kMostFileBytes) throw PictureError("the file has more than 1 GiB");
  file_.resize(static_cast<size_t>(about.st_size));
  size_t have = 0;
  while (have < file_.size()) {
    const ssize_t got = read(in.descriptor, file_.data() + have, file_.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unreadable();
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  file_.resize(have);
}

/// Decodes the file and finds the eye in the decoded picture, again in a finer one when the field
/// turns out to be small.
EyeCircle EyePreparer::decode_and_find(PreparedEye& result) {
  int reduction = 1;
  const bool png = is_png(file_);
  if (png) {
    const StageClock clock(result.seconds, kDecode);
    read_png_picture(file_, photo_);
    result.width = photo_.width;
    result.height = photo_.height;
  } else {
    const JpegReader::Size size = reader_.open(file_);
    result.width = size.width;
    result.height = size.height;
    const int64_t shorter = std::min(size.width, size.height);
    while (reduction < 8 && shorter / (2 * reduction) >= side_) reduction *= 2;
  }
  for (;; reduction /= 2) {
    if (!png) {
      const StageClock clock(result.seconds, kDecode);
      reader_.decode(reduction, photo_);
    }
    const StageClock clock(result.seconds, kFindEye);
    const EyeCircle eye = find_eye(photo_);
    const double factor = reduction;
    result.eye = {(eye.x + 0.5) * factor - 0.5, (eye.y + 0.5) * factor - 0.5, eye.radius * factor};
    if (reduction == 1 || 2 * eye.radius >= static_cast<double>(side_)) return eye;
  }
}

void EyePreparer::prepare_loaded(PreparedEye& result) {
  const EyeCircle eye = decode_and_find(result);
  const Picture* cropped = nullptr;
  {
    const StageClock clock(result.seconds, kResize);
    cropped = &cropper_.crop(photo_, eye);
  }
  const StageClock clock(result.seconds, kEncode);
  const auto jpeg = writer_.write(*cropped);
  result.jpeg.assign(jpeg.begin(), jpeg.end());
}

PreparedEye EyePreparer::prepare(const std::filesystem::path& file) {
  PreparedEye result;
  try {
    {
      const StageClock clock(result.seconds, kRead);
      load(file);
    }
    result.bytes = file_.size();
    prepare_loaded(result);
  } catch (const PictureError& error) {
    result.reason = error.what();
  }
  return result;
}

}  // namespace lapcast::workloads
