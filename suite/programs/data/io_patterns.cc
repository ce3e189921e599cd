#include "data/io_patterns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/share_out.h"

namespace lapcast::workloads {
namespace {

enum Pattern { kFilePerProcess, kSharedContiguous, kSharedStrided };

struct Request {
  int64_t handle;
  double offset;  // bytes
  double size;
};

/// Holds what stays the same during one observation.
struct Application {
  int pattern;
  int64_t processes;
  int64_t requests;
  int64_t shared_files;
  double size;        // of a request, bytes
  float size_spread;  // 0: all alike
  float headers;      // share of requests that are small
  double chunk;       // requests of one process, when contiguous
  float drift;        // how far processes may be apart, in requests
};

double power_of_two(Random& r, uint32_t lowest, uint32_t highest) {
  return std::ldexp(1, static_cast<int>(lowest + r.below(highest - lowest + 1)));
}

Application random_application(int pattern, Random& r) {
  Application app;
  app.pattern = pattern;
  app.processes = static_cast<int64_t>(power_of_two(r, 1, 7));
  app.requests = 32 + r.below(224);
  app.shared_files = r.chance(0.9f) ? 1 : 2 + r.below(3);
  app.size = power_of_two(r, 12, 23);  // 4 KiB to 8 MiB
  app.size_spread = r.chance(0.3f) ? 0.5f : 0;
  app.headers = r.chance(0.25f) ? 0.05f : 0;
  app.chunk = power_of_two(r, 8, 12);
  app.drift = r.between(0.5f, 2);
  return app;
}

/// Produces the requests in the order of their arrival.
class Requests {
 public:
  Requests(const Application& app, Random& r)
      : app_(app), random_(r), done_(static_cast<size_t>(app.processes)) {}

  Request next() {
    const int64_t process = next_process();
    int64_t& done = done_[static_cast<size_t>(process)];
    const double size = next_size();
    const Request request = {handle_of(process), offset_of(process, done), size};
    ++done;
    return request;
  }

 private:
  /// Returns the next process: the processes take turns, with some disorder.
  int64_t next_process() {
    const double turn =
        static_cast<double>(issued_++) +
        static_cast<double>(app_.drift * random_.unit()) * static_cast<double>(app_.processes) / 2;
    return static_cast<int64_t>(turn) % app_.processes;
  }

  double next_size() {
    if (random_.chance(app_.headers)) return 512;
    const float factor = 1 + app_.size_spread * random_.between(-1, 1);
    return std::round(app_.size * static_cast<double>(factor));
  }

  int64_t handle_of(int64_t process) const {
    return app_.pattern == kFilePerProcess ? process : process % app_.shared_files;
  }

  double offset_of(int64_t process, int64_t done) const {
    const auto p = static_cast<double>(process), k = static_cast<double>(done);
    const auto all = static_cast<double>(app_.processes);
    switch (app_.pattern) {
      case kFilePerProcess:
        return k * app_.size;
      case kSharedContiguous:
        return (p * app_.chunk + k) * app_.size;
      default:
        return (k * all + p) * app_.size;
    }
  }

  const Application& app_;
  Random& random_;
  std::vector<int64_t> done_;  // requests of each process
  int64_t issued_ = 0;
};

/// Computes the five numbers from one request after the other.
class Summary {
 public:
  explicit Summary(int64_t most_handles) : last_offset_(static_cast<size_t>(most_handles), -1) {}

  void see(const Request& request) {
    smallest_ = count_ == 0 ? request.size : std::min(smallest_, request.size);
    largest_ = std::max(largest_, request.size);
    bytes_ += request.size;
    ++count_;
    double& last = last_offset_[static_cast<size_t>(request.handle)];
    if (last < 0) {
      ++handles_;
    } else {
      distance_ += std::abs(request.offset - last);
    }
    last = request.offset;
  }

  void write(std::span<double, kIoFeatures> features) const {
    const int64_t pairs = count_ - handles_;
    features[0] = smallest_;
    features[1] = bytes_ / static_cast<double>(count_);
    features[2] = largest_;
    features[3] = static_cast<double>(handles_);
    features[4] = pairs > 0 ? distance_ / static_cast<double>(pairs) : 0;
  }

 private:
  std::vector<double> last_offset_;  // of each handle; negative: none yet
  double smallest_ = 0, largest_ = 0, bytes_ = 0, distance_ = 0;
  int64_t count_ = 0, handles_ = 0;
};

}  // namespace

void draw_observation(int pattern, Random& random, std::span<double, kIoFeatures> features) {
  const Application app = random_application(pattern, random);
  Requests requests(app, random);
  Summary summary(app.processes + app.shared_files);
  for (int64_t i = 0; i < app.requests; ++i) summary.see(requests.next());
  summary.write(features);
}

IoObservations make_observations(int64_t count, uint64_t seed, IoPart part, int64_t threads) {
  IoObservations all;
  all.features.resize(static_cast<size_t>(count * kIoFeatures));
  all.patterns.resize(static_cast<size_t>(count));
  const uint64_t stream = part == IoPart::kTraining ? 1 : 2;
  share_out(count, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random(mix_seeds(seed, stream, static_cast<uint64_t>(i)));
      const auto pattern = static_cast<uint8_t>(i % kIoPatterns);
      all.patterns[static_cast<size_t>(i)] = pattern;
      double* at = all.features.data() + i * kIoFeatures;
      draw_observation(pattern, random, std::span<double, kIoFeatures>(at, kIoFeatures));
    }
  });
  return all;
}

}  // namespace lapcast::workloads
