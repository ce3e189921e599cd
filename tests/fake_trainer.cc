// Acts as a training program in tests. It trains nothing: it lets the time of laps pass, reports
// them through lap.h, misbehaves as its options ask, and records what happened to it in a journal
// of JSON lines (--journal FILE), which the stories read.
#include <time.h>

// The clock that lap.h reads, which --exact replaces.
static int clock_of_laps(clockid_t clock, timespec* time);
#define LAPCAST_IMPLEMENTATION
#define clock_gettime clock_of_laps
#include <lapcast/lap.h>
#undef clock_gettime

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

constexpr const char* kUsage = R"(fake_trainer [OPTION [VALUE]] ...
what it does
  --epochs N --laps N      laps of an epoch; with --train the laps follow from it
  --batch N --train N --validation N   samples; reported as the plan unless --no-plan
  --lap-ms MS --spin       time of a lap (divided by $FAKE_SPEED), asleep or busy
  --init-ms MS --teardown-ms MS --validation-ms MS
  --warm-up-laps N --warm-up-ms MS     the first laps take longer
  --noise SHARE --seed N   uniform noise on the laps
  --exact                  in its log all this takes exactly its time, however long it really took
  --until FILE             waits until FILE exists, before the first lap or after --until-lap N laps
  $FAKE_HOLD               N: the N-th program of the journal waits, before its laps, for its end
  --faster-with NAME=VALUE,FACTOR      where that variable has that value
  --accuracy A,B,C         val_accuracy after each epoch; the last one stays
  --answers-requests       validates on request
  --checkpoint             saves one in its run folder after each epoch
  --resume-from EPOCH      its first epoch; --say TEXT prints a line first
how it misbehaves
  --crash-after LAPS       with --exit-code N or --signal N; 0 = before the first
  --silent SECONDS         reports nothing for so long, then ends
  --ignore-term            goes on when asked to end
  --children N, --setsid-children N    that linger
  --write FILE             writes a file beyond its run folder
  --flood BYTES            to stdout; --log-flood BYTES, --log-garbage: to its lap log
)";

using Options = std::map<std::string, std::string>;

const std::set<std::string> kFlags{
    "--spin",        "--answers-requests", "--checkpoint", "--ignore-term",
    "--log-garbage", "--no-plan",          "--exact",      "--help"};
const std::set<std::string> kValues{
    "--journal",     "--epochs",        "--laps",         "--batch",
    "--train",       "--validation",    "--lap-ms",       "--init-ms",
    "--teardown-ms", "--validation-ms", "--warm-up-laps", "--warm-up-ms",
    "--noise",       "--seed",          "--accuracy",     "--faster-with",
    "--resume-from", "--say",           "--crash-after",  "--exit-code",
    "--signal",      "--silent",        "--children",     "--setsid-children",
    "--write",       "--flood",         "--log-flood",    "--out",
    "--until",       "--until-lap"};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool flag = kFlags.contains(name);
    if (!flag && (!kValues.contains(name) || i + 1 == argc)) {
      std::cerr << "fake_trainer: no such option, or no value: " << name << '\n' << kUsage;
      std::exit(64);
    }
    options[name] = flag ? "1" : argv[++i];
  }
  return options;
}

std::string in_quotes(std::string_view text) {
  std::ostringstream out;
  out << '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8];
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (byte < 0x20 || byte > 0x7e) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out << escaped;
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Counts the nanoseconds of work since the start, which are all that passes on the clock of
/// --exact.
bool exact = false;
std::int64_t begun_ns = 0;
std::int64_t worked_ns = 0;

char journal_file[4096] = "";
volatile sig_atomic_t asked_to_end = 0;
bool ignores_term = false;

/// Writes one line in one call, so that it is whole even when this process is killed. A signal
/// handler calls it too.
void append_to_journal(const char* text, std::size_t size) {
  if (journal_file[0] == '\0') return;
  const int fd = open(journal_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t written = write(fd, text, size);
  close(fd);
}

void note(const std::string& event, const std::string& more = "") {
  std::ostringstream line;
  line << R"({"event":")" << event << R"(","pid":)" << getpid() << ",\"time\":" << std::fixed
       << now_s() << more << "}\n";
  append_to_journal(line.str().data(), line.str().size());
}

void on_signal(int signal) {
  char line[200];
  const int size = std::snprintf(line, sizeof line,
                                 "{\"event\":\"signal\",\"pid\":%d,\"time\":%f,\"signal\":%d}\n",
                                 static_cast<int>(getpid()), now_s(), signal);
  append_to_journal(line, static_cast<std::size_t>(size));
  if (!ignores_term) asked_to_end = 1;
}

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaction(signal, &action, nullptr);
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string cpu_list() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::string list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set))
      list += (list.empty() ? "" : ",") + std::to_string(cpu);
  return "[" + list + "]";
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void note_start(int argc, char** argv) {
  std::string arguments;
  for (int i = 0; i < argc; ++i) arguments += (i == 0 ? "" : ",") + in_quotes(argv[i]);
  std::string environment;
  for (const char* name : {"FAKE_SPEED", "FAKE_NAME", "LAPCAST_RUN_DIR", "LAPCAST_LOG_DIR"})
    if (std::getenv(name) != nullptr)
      environment +=
          (environment.empty() ? "" : ",") + in_quotes(name) + ":" + in_quotes(variable(name));
  std::error_code error;
  const bool empty = fs::is_empty(variable("LAPCAST_RUN_DIR"), error) && !error;
  const std::string input = fs::read_symlink("/proc/self/fd/0", error).string();
  note("start", ",\"argv\":[" + arguments + "],\"env\":{" + environment + "},\"cwd\":" +
                    in_quotes(fs::current_path().string()) + ",\"cpus\":" + cpu_list() +
                    ",\"cgroup\":" + in_quotes(text_of("/proc/self/cgroup")) +
                    ",\"stdin\":" + in_quotes(input) + ",\"group\":" + std::to_string(getpgrp()) +
                    ",\"run_folder_empty\":" + (empty ? "true" : "false"));
}

class Trainer {
 public:
  explicit Trainer(Options options)
      : options_(std::move(options)), noise_(static_cast<std::uint64_t>(integer("--seed", 1))) {
    const std::string speed = variable("FAKE_SPEED");
    if (!speed.empty()) speed_ = std::atof(speed.c_str());
    get_faster(text("--faster-with"));
    for (std::istringstream list(text("--accuracy")); list.good();) {
      std::string value;
      std::getline(list, value, ',');
      if (!value.empty()) accuracies_.push_back(std::atof(value.c_str()));
    }
  }

  int run() {
    misbehave_at_first();
    pass(real("--init-ms", 0));
    const std::int64_t first = integer("--resume-from", 1);
    const std::int64_t epochs = integer("--epochs", 1);
    if (!has("--no-plan")) report_plan(epochs);
    if (const int nth = std::atoi(variable("FAKE_HOLD").c_str()); nth > 0 && nth == starts())
      wait_for("");
    for (std::int64_t epoch = first; epoch < first + epochs && !done(); ++epoch) train(epoch);
    pass(real("--teardown-ms", 0));
    note("end",
         ",\"laps\":" + std::to_string(laps_) + ",\"asked\":" + (asked_to_end ? "true" : "false"));
    return 0;
  }

 private:
  bool has(const std::string& name) const { return options_.contains(name); }
  std::string text(const std::string& name) const { return has(name) ? options_.at(name) : ""; }
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const {
    return has(name) ? std::atoll(options_.at(name).c_str()) : otherwise;
  }
  double real(const std::string& name, double otherwise) const {
    return has(name) ? std::atof(options_.at(name).c_str()) : otherwise;
  }
  static bool done() { return asked_to_end != 0; }

  void get_faster(const std::string& rule) {
    const std::size_t equals = rule.find('='), comma = rule.rfind(',');
    if (equals == rule.npos || comma == rule.npos) return;
    if (variable(rule.substr(0, equals).c_str()) == rule.substr(equals + 1, comma - equals - 1))
      speed_ *= std::atof(rule.c_str() + comma + 1);
  }

  /// Sleeps or computes until the time is over or this process is asked to end.
  void pass(double ms) const {
    const double until = now_s() + ms * 1e-3;
    while (now_s() < until && !done()) {
      if (has("--spin")) continue;
      const double left = std::max(until - now_s(), 0.0);
      timespec time{
          static_cast<time_t>(left),
          static_cast<long>((left - static_cast<double>(static_cast<time_t>(left))) * 1e9)};
      nanosleep(&time, nullptr);
    }
    worked_ns += static_cast<std::int64_t>(ms * 1e6);
  }

  /// Waits until the file exists, with an empty name for ever, or until this process is asked to
  /// end.
  static void wait_for(const std::string& file) {
    lapcast_flush();
    note("held");
    while (!done() && (file.empty() || !fs::exists(file))) usleep(5000);
  }

  /// Returns how many programs have started with this journal.
  static int starts() {
    const std::string journal = text_of(journal_file);
    int count = 0;
    for (std::size_t at = 0; (at = journal.find(R"("event":"start")", at)) != journal.npos; ++at)
      ++count;
    return count;
  }

  void misbehave_at_first() {
    if (has("--say")) std::cout << text("--say") << std::endl;
    for (std::int64_t i = 0; i < integer("--children", 0); ++i) leave_child(false);
    for (std::int64_t i = 0; i < integer("--setsid-children", 0); ++i) leave_child(true);
    if (has("--write")) std::ofstream(text("--write")) << "out of place\n";
    flood(1, integer("--flood", 0));
    if (has("--silent")) {
      pass(1e3 * real("--silent", 0));
      note("end");
      std::exit(0);
    }
    if (integer("--crash-after", -1) == 0) crash();
  }

  /// Starts a child that survives every signal but KILL and keeps the pipes open.
  void leave_child(bool own_session) const {
    const pid_t pid = fork();
    if (pid == 0) {
      if (own_session) setsid();
      signal(SIGTERM, SIG_IGN);
      signal(SIGHUP, SIG_IGN);
      sleep(600);
      _exit(0);
    }
    note("child", ",\"child\":" + std::to_string(pid));
  }

  static void flood(int fd, std::int64_t bytes) {
    std::string block;
    while (block.size() < 1 << 16) block += "epoch 1 loss 0.123456 and many more words\n";
    while (bytes > 0 && asked_to_end == 0) {
      const auto want = std::min<std::int64_t>(bytes, static_cast<std::int64_t>(block.size()));
      const ssize_t got = write(fd, block.data(), static_cast<std::size_t>(want));
      if (got <= 0) return;
      bytes -= got;
    }
  }

  void report_plan(std::int64_t epochs) const {
    lapcast_plan_t plan{};
    plan.epochs = epochs;
    plan.batch_size = batch();
    plan.iterations_per_epoch = laps_per_epoch();
    plan.training_samples = integer("--train", laps_per_epoch() * batch());
    plan.validation_samples = integer("--validation", 0);
    plan.answers_requests = has("--answers-requests") ? 1 : 0;
    lapcast_plan(plan);
  }

  std::int64_t batch() const { return std::max<std::int64_t>(1, integer("--batch", 32)); }
  std::int64_t laps_per_epoch() const {
    return has("--train") ? (integer("--train", 0) + batch() - 1) / batch()
                          : integer("--laps", 100);
  }

  void train(std::int64_t epoch) {
    lapcast_epoch_begin(epoch);
    for (std::int64_t lap = 0; lap < laps_per_epoch() && !done(); ++lap) {
      const std::int64_t left = integer("--train", laps_per_epoch() * batch()) - lap * batch();
      one_lap(std::min(batch(), left));
    }
    if (done()) return;
    lapcast_epoch_end(epoch);
    note("epoch", ",\"epoch\":" + std::to_string(epoch));
    if (integer("--validation", 0) > 0) validate(integer("--validation", 0));
    if (!accuracies_.empty()) {
      const auto at = std::min(static_cast<std::size_t>(epoch - 1), accuracies_.size() - 1);
      lapcast_metric("val_accuracy", accuracies_[at]);
    }
    if (has("--checkpoint")) save(epoch);
  }

  void one_lap(std::int64_t samples) {
    if (has("--until") && laps_ == integer("--until-lap", 0)) wait_for(text("--until"));
    const double share = static_cast<double>(samples) / static_cast<double>(batch());
    const double spread = std::uniform_real_distribution<>(-1, 1)(noise_) * real("--noise", 0);
    const double extra = laps_ < integer("--warm-up-laps", 0) ? real("--warm-up-ms", 0) : 0;
    pass((real("--lap-ms", 5) * share * (1 + spread) + extra) / speed_);
    if (done()) return;
    lapcast_iteration(samples);
    ++laps_;
    if (laps_ == 1) misbehave_in_log();
    if (laps_ == integer("--crash-after", -1)) crash();
    if (const std::int64_t wanted = lapcast_validation_wanted(); wanted > 0) {
      note("validation-wanted", ",\"samples\":" + std::to_string(wanted));
      validate(wanted);
    }
  }

  /// Validates for the share of --validation-ms, which is the time of the whole set.
  void validate(std::int64_t samples) const {
    lapcast_validation_begin();
    const double all = std::max(1.0, real("--validation", 1));
    pass(real("--validation-ms", 0) * static_cast<double>(samples) / all / speed_);
    lapcast_validation_end(samples);
  }

  void save(std::int64_t epoch) const {
    lapcast_checkpoint_begin();
    const std::string folder = has("--out") ? text("--out") : variable("LAPCAST_RUN_DIR");
    std::ofstream(folder + "/epoch-" + std::to_string(epoch)) << std::string(4096, 'w');
    lapcast_checkpoint_end(4096);
  }

  void misbehave_in_log() const {
    lapcast_flush();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(variable("LAPCAST_LOG_DIR"), error)) {
      const int fd = open(entry.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      if (has("--log-garbage")) {
        const std::string_view garbage =
            "\x00\xff\x1b[31m no event\n99 i\n-5 i 3\n12 i 99999999999\n"sv;
        [[maybe_unused]] const ssize_t written = write(fd, garbage.data(), garbage.size());
      }
      flood(fd, integer("--log-flood", 0));
      close(fd);
    }
  }

  [[noreturn]] void crash() const {
    lapcast_flush();
    std::cerr << "fake_trainer: the loss is not a number" << std::endl;
    note("crash");
    if (has("--signal")) {
      signal(static_cast<int>(integer("--signal", 0)), SIG_DFL);
      raise(static_cast<int>(integer("--signal", 0)));
    }
    _exit(static_cast<int>(integer("--exit-code", 1)));
  }

  Options options_;
  std::mt19937_64 noise_;
  double speed_ = 1;
  std::vector<double> accuracies_;
  std::int64_t laps_ = 0;
};

}  // namespace

static int clock_of_laps(clockid_t clock, timespec* time) {
  if (!exact || clock != CLOCK_MONOTONIC) return clock_gettime(clock, time);
  const std::int64_t now = begun_ns + worked_ns;
  *time = {.tv_sec = now / 1'000'000'000, .tv_nsec = now % 1'000'000'000};
  return 0;
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.contains("--help")) {
    std::cout << kUsage;
    return 0;
  }
  if (const auto journal = options.find("--journal"); journal != options.end())
    std::snprintf(journal_file, sizeof journal_file, "%s", journal->second.c_str());
  ignores_term = options.contains("--ignore-term");
  exact = options.contains("--exact");
  begun_ns = static_cast<std::int64_t>(now_s() * 1e9);
  listen_to_signals();
  note_start(argc, argv);
  return Trainer(options).run();
}
