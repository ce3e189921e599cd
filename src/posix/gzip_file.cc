#include "posix/gzip_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr unsigned kPieceBytes = 256 * 1024;

Error cannot_read(const std::string& file, const char* why) {
  return Error(ExitCode::bad_input, fmt::format("cannot read {}: {}", printable(file), why));
}

struct Close {
  void operator()(gzFile file) const { gzclose_r(file); }
};
using GzipStream = std::unique_ptr<gzFile_s, Close>;

GzipStream open_stream(const std::string& file) {
  const int fd = file == "-" ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw cannot_read(file, "there is no such file, or it may not be read");
  struct stat status {};
  const bool folder = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  GzipStream stream(folder ? nullptr : gzdopen(fd, "rb"));
  if (!stream) {
    close(fd);
    throw cannot_read(file, folder ? "it is a folder" : "no memory");
  }
  gzbuffer(stream.get(), kPieceBytes);
  return stream;
}

}  // namespace

bool for_each_piece(const std::string& file, const std::function<void(std::string_view)>& take) {
  const GzipStream stream = open_stream(file);
  std::vector<char> piece(kPieceBytes);
  int bytes = 0;
  while ((bytes = gzread(stream.get(), piece.data(), kPieceBytes)) > 0) {
    take({piece.data(), static_cast<std::size_t>(bytes)});
  }
  int error = Z_OK;
  gzerror(stream.get(), &error);
  if (error == Z_ERRNO) throw cannot_read(file, "reading it failed");
  return error == Z_OK || error == Z_STREAM_END;
}

WholeFile read_whole(const std::string& file, std::size_t most_bytes) {
  WholeFile whole;
  whole.complete = for_each_piece(file, [&](std::string_view piece) {
    if (whole.text.size() + piece.size() > most_bytes) {
      throw cannot_read(file, fmt::format("it is longer than {}",
                                          format_bytes(static_cast<std::int64_t>(most_bytes)))
                                  .c_str());
    }
    whole.text += piece;
  });
  return whole;
}

}  // namespace lapcast
