// Prepares photographs of the retina with OpenCV in C++, for `./bench retina-vs-peers`, which
// compiles it: retina_opencv IN OUT. The decoder reduces each photograph by 4, or less where the
// field would become smaller than the prepared picture. Each line of stdin asks for all
// photographs once; the answer is photographs a second.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <opencv2/core/version.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int kSide = 256, kBackground = 20;

struct Circle {
  cv::Point2f centre;
  float radius = 0;
};

/// Returns the smallest circle around the largest bright region.
Circle find_eye(const cv::Mat& photo) {
  cv::Mat grey, mask;
  cv::cvtColor(photo, grey, cv::COLOR_BGR2GRAY);
  cv::threshold(grey, mask, kBackground, 255, cv::THRESH_BINARY);
  std::vector<std::vector<cv::Point>> regions;
  cv::findContours(mask, regions, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_SIMPLE);
  const auto largest = std::max_element(
      regions.begin(), regions.end(),
      [](const auto& a, const auto& b) { return cv::contourArea(a) < cv::contourArea(b); });
  if (largest == regions.end()) throw std::runtime_error("a photograph has no field");
  Circle eye;
  cv::minEnclosingCircle(*largest, eye.centre, eye.radius);
  return eye;
}

/// Returns the square around a circle; what lies beyond the photograph is black.
cv::Mat square_around(const cv::Mat& photo, const Circle& eye) {
  const int radius = cvRound(eye.radius);
  const cv::Rect square(cvRound(eye.centre.x) - radius, cvRound(eye.centre.y) - radius, 2 * radius,
                        2 * radius);
  const cv::Rect inside = square & cv::Rect({}, photo.size());
  cv::Mat padded;
  cv::copyMakeBorder(photo(inside), padded, inside.y - square.y, square.br().y - inside.br().y,
                     inside.x - square.x, square.br().x - inside.br().x, cv::BORDER_CONSTANT);
  return padded;
}

std::vector<unsigned char> content_of(const fs::path& file) {
  std::vector<unsigned char> content(fs::file_size(file));
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
  return content;
}

/// Decodes from memory, which is faster than cv::imread: libjpeg has a quick path for long buffers.
cv::Mat prepared(const fs::path& file) {
  const std::vector<unsigned char> content = content_of(file);
  for (const int mode :
       {cv::IMREAD_REDUCED_COLOR_4, cv::IMREAD_REDUCED_COLOR_2, cv::IMREAD_COLOR}) {
    const cv::Mat photo = cv::imdecode(content, mode);
    if (photo.empty()) throw std::runtime_error(file.string() + ": cannot be read");
    const Circle eye = find_eye(photo);
    if (2 * eye.radius < kSide && mode != cv::IMREAD_COLOR) continue;
    cv::Mat small;
    cv::resize(square_around(photo, eye), small, {kSide, kSide}, 0, 0, cv::INTER_AREA);
    return small;
  }
  return {};
}

void prepare(const fs::path& file, const fs::path& out) {
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", prepared(file), jpeg, {cv::IMWRITE_JPEG_QUALITY, 95});
  std::ofstream to(out / file.filename(), std::ios::binary);
  to.write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
  if (!to.flush()) throw std::runtime_error((out / file.filename()).string() + ": not written");
}

double prepare_all(const std::vector<fs::path>& files, const fs::path& out) {
  const auto begin = std::chrono::steady_clock::now();
  for (const fs::path& file : files) prepare(file, out);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(files.size()) / time.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    cv::setNumThreads(1);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(argv[1])) {
      if (entry.path().extension() == ".jpeg") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::cout << CV_VERSION << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << prepare_all(files, argv[2]) << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << "retina_opencv: " << error.what() << "\n";
    return 1;
  }
}
