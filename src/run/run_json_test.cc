#include "run/run_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run/random_run_test.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns a run with every key; its line is tests/golden/run/export.jsonl.
Run example() {
  lapcast::Run run;
  run.context.id = "3fb09c61d2aa";
  run.context.sweep = "77e1";
  run.context.program = {"./train", "--batch", "{batch}", "--out", "{run_dir}/model"};
  run.context.settings = {{"batch", "128"}};
  run.context.working_dir = "/home/ann/digits";
  run.context.place = "ssh gpu-box";
  run.context.machine_type = {"half", {0, 1}, 0.5, {{"OMP_NUM_THREADS", "1"}}, true};
  Offer& price = run.context.price.emplace();
  price.name = "half";
  price.machine_type = "half";
  price.price = {Money::parse("0.0425")};
  price.terms = Owned{Money::parse("25000"), 3, 0.5, 0.25, Money::parse("0.31"), {}};
  price.billing = {0, 0};
  price.other.tax = 0.19;
  price.as_of = "2026-11-20";
  price.source = "fleet.toml";
  run.context.offer = "c5.large";
  run.context.plan = {.epochs = 12,
                      .training_samples = 60000,
                      .validation_samples = 10000,
                      .validate_every = 4,
                      .validate_from = 8};
  run.context.patience = 5;
  run.context.metric = "val_accuracy";
  run.context.start = StartKind::cold;
  run.context.started_at = "2026-11-20T12:00:00Z";
  run.context.lapcast_version = "0.1.0";
  MachineDescription& machine = run.context.machine;
  machine.host = "box";
  machine.os = "Debian GNU/Linux 12 (bookworm), Linux 6.1.0";
  machine.cpu_model = "Xeon";
  machine.architecture = "x86_64";
  machine.isa = "AVX2";
  machine.boot_id = "9d0c41b5f2e86a73";
  machine.sockets = 1;
  machine.cores = 2;
  machine.threads = 4;
  machine.allowed_cpus = {0, 1, 2, 3};
  machine.max_clock_ghz = 2.6;
  machine.memory_bytes = 8'000'000'000;
  machine.cgroup_version = 2;
  machine.quota_settable = true;
  machine.cpu_limit = 1.5;
  machine.memory_limit_bytes = 4'000'000'000;
  machine.accelerators = {
      {"nvidia", "T4", "550.54", 16'000'000'000, "40 SMs", "7.5", 2560, "12.4",
       GpuSetUp{70'000, 1590, "on", "off", "generation 3, 16 lanes", "shared"}}};
  machine.allocators = {"/usr/lib64/libjemalloc.so.2"};
  machine.missing = {"no performance counters"};
  run.context.imported_from = "mllog result_0.log";
  run.context.imported = true;
  run.outcome = outcome::Enough{"steady lap known to 1.4 %"};
  run.started_ns = 1'000'000'000;
  run.ended_ns = 4'200'000'000;
  run.stop_sent_ns = 4'100'000'000;
  run.usage = {Seconds{5.25}, Seconds{0.1}, 123'456'789, 42};
  run.lap_logs = {"not\na lap log\n"};
  run.standard_output = "caf\xc3\xa9 \"quoted\" \x1b[1m\n";
  run.standard_error = "\xff";
  run.warnings = {"resumed from a checkpoint"};
  run.forecasts = {{Seconds{0.5}, {Seconds{3}, Seconds{3.25}, Seconds{4}}}};
  run.preparation = {{"send program", Seconds{0.75}, 65536}, {"queue", Seconds{12}, 0}};
  run.pauses = {{2'000'000'000, 2'500'000'000}};
  return run;
}

/// Does not compile when a struct gets a member: it then needs a key in run_json.cc and
/// docs/formats.md, and a value in random_run.h.
[[maybe_unused]] void count_members(const lapcast::Run& run, const Accelerator& accelerator,
                                    const Offer& offer, const Owned& owned, const Spot& spot,
                                    const Reserved& reserved) {
  [[maybe_unused]] const auto& [r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13] = run;
  [[maybe_unused]] const auto& [c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15,
                                c16, c17, c18, c19, c20, c21] = run.context;
  [[maybe_unused]] const auto& [f1, f2] = run.forecasts.front();
  [[maybe_unused]] const auto& [s1, s2, s3] = run.preparation.front();
  [[maybe_unused]] const auto& [e1, e2, e3] = run.pauses.front();
  [[maybe_unused]] const auto& [t1, t2, t3, t4, t5] = run.context.machine_type;
  // A user asks for six of these.
  [[maybe_unused]] const auto& [p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12] =
      run.context.plan;
  [[maybe_unused]] const auto& [u1, u2, u3, u4] = run.usage;
  [[maybe_unused]] const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9] = accelerator;
  [[maybe_unused]] const auto& [g1, g2, g3, g4, g5, g6] = *accelerator.set_up;
  [[maybe_unused]] const auto& [o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14, o15,
                                o16, o17] = offer;
  [[maybe_unused]] const auto& [x1, x2, x3, x4, x5] = offer.other;
  [[maybe_unused]] const auto& [b1, b2] = offer.billing;
  [[maybe_unused]] const auto& [w1, w2, w3, w4, w5, w6] = owned;
  [[maybe_unused]] const auto& [i1, i2] = spot;
  [[maybe_unused]] const auto& [d1, d2, d3, d4] = reserved;
  [[maybe_unused]] const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
                                m16, m17, m18, m19, m20, m21, m22] = run.context.machine;
}

std::string golden(const std::string& name) {
  const auto path = std::filesystem::path(LAPCAST_SOURCE_DIR) / "tests/golden/run" / name;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::string reason(const std::string& line) {
  const Result<lapcast::Run> run = run_from_json_line(line);
  return run ? "none: it was read" : run.error().text;
}

TEST(RunJson, GoldenLine) {
  EXPECT_EQ(to_json_line(example()) + "\n", golden("export.jsonl"));
  EXPECT_EQ(run_from_json_line(golden("export.jsonl")), example());
}

TEST(RunJson, EveryRunReadsBackTheSameAndIsOneLine) {
  RandomRun random(20261120);
  for (int i = 0; i < 500; ++i) {
    const lapcast::Run run = random();
    const std::string line = to_json_line(run);
    ASSERT_THAT(line, Not(HasSubstr("\n")));
    const Result<lapcast::Run> back = run_from_json_line(line);
    ASSERT_TRUE(back) << back.error().text << "\n" << line;
    ASSERT_EQ(*back, run) << line;
    ASSERT_EQ(to_json_line(*back), line);
  }
}

// So that the key of a sweep, which is made of such lines, is that of lapcast versions without it.
TEST(RunJson, ARunThatWasMeasuredSaysNothingOfImports) {
  lapcast::Run run = example();
  run.context.imported = false;
  EXPECT_THAT(to_json_line(run), Not(HasSubstr("\"imported\":")));
  EXPECT_EQ(run_from_json_line(to_json_line(run)), run);
}

TEST(RunJson, DefaultRunNeedsOnlyAnId) {
  lapcast::Run run;
  run.context.id = "a";
  EXPECT_EQ(run_from_json_line(to_json_line(run)), run);
}

// JSON has no infinity: such a figure is left out and so becomes "not known".
TEST(RunJson, NumbersThatAreNotFiniteAreNotKnown) {
  lapcast::Run run = example();
  run.context.machine.max_clock_ghz = std::numeric_limits<double>::infinity();
  run.context.machine.cpu_limit = std::numeric_limits<double>::quiet_NaN();
  const Result<lapcast::Run> back = run_from_json_line(to_json_line(run));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->context.machine.max_clock_ghz, 0);
  EXPECT_EQ(back->context.machine.cpu_limit, std::nullopt);
}

TEST(RunJson, UnknownKeysAreIgnored) {
  const std::string line =
      replaced(to_json_line(example()), "{\"format\"", R"({"new":[1],"format")");
  EXPECT_EQ(run_from_json_line(line), example());
}

TEST(RunJson, EachRequiredKeyIsNamedWhenMissing) {
  const std::string line = to_json_line(example());
  for (const char* key : {"format", "version", "id", "kind", "program", "machine_type",
                          "started_at", "outcome", "started_ns", "ended_ns", "lap_logs"}) {
    const std::string quoted = std::string("\"") + key + "\":";
    EXPECT_EQ(reason(replaced(line, quoted, "\"x\":")), std::string(key) + " is missing");
  }
  EXPECT_EQ(reason(replaced(line, "\"name\":", "\"x\":")), "machine_type.name is missing");
  EXPECT_EQ(reason(replaced(line, "\"kind\":\"enough\",", "")), "outcome.kind is missing");
}

TEST(RunJson, WrongTypesAreNamed) {
  const std::string line = to_json_line(example());
  const auto with = [&](const char* what, const char* by) {
    return reason(replaced(line, what, by));
  };
  EXPECT_EQ(with("\"3fb09c61d2aa\"", "7"), "id is not text");
  EXPECT_EQ(with("\"3fb09c61d2aa\"", "\"../../x\""), "id is not 1 to 64 of a-z, 0-9, '-' and '_'");
  EXPECT_EQ(with("[0,1]", "[0,1.5]"), "machine_type.cpus[1] is not a whole number of 64 bits");
  EXPECT_EQ(with("[0,1]", "[0,4294967296]"),
            "machine_type.cpus[1] is not a whole number of 32 bits");
  EXPECT_EQ(with("\"0.0425\"", "0.0425"), "price.usd_per_hour is not text");
  EXPECT_EQ(with("\"0.0425\"", "\"1e9\""),
            "price.usd_per_hour is '1e9', not an amount like \"0.0425\"");
  EXPECT_EQ(with("\"imported\":true", "\"imported\":1"), "imported is not true or false");
  EXPECT_EQ(with("\"owned\"", "\"lent\""),
            "price.terms.kind is 'lent', which this version does not know");
  EXPECT_EQ(with("\"as_of\":", "\"x\":"), "price.as_of is missing");
  EXPECT_EQ(with("[0,1]", "{}"), "machine_type.cpus is not a list");
  EXPECT_EQ(with("{\"batch\":\"128\"}", "{\"batch\":128}"), "settings['batch'] is not text");
  EXPECT_EQ(with("{\"batch\":\"128\"}", "[[\"batch\"]]"), "settings['0'] is not a pair of texts");
  EXPECT_EQ(with("{\"batch\":\"128\"}", "\"batch\""), "settings is not an object of texts");
  EXPECT_EQ(with("\"quota_settable\":true", "\"quota_settable\":1"),
            "machine.quota_settable is not true or false");
  EXPECT_EQ(with("5.25", "\"5\""), "usage.user_s is not a number");
  EXPECT_EQ(with("4200000000", "18446744073709551615"),
            "ended_ns is not a whole number of 64 bits");
  EXPECT_EQ(with("4200000000", "9223372036854775807"), "ended_ns is out of range");
  EXPECT_EQ(with("\"/w==\"", "\"/w=\""), "standard_error.base64 is not base64");
  EXPECT_EQ(with("\"enough\"", "\"bo\\u001bred\""),
            "outcome.kind is 'bo?red', which this version does not know");
  EXPECT_EQ(with("\"probe\"", "\"race\""), "kind is 'race', which this version does not know");
  EXPECT_EQ(with("\"version\":1", "\"version\":2"),
            "version is 2, of a newer lapcast; this one reads 1");
  EXPECT_EQ(with("lapcast-run", "lapcast-sweep"), "format is not 'lapcast-run'");
}

TEST(RunJson, HostileTextGivesAReason) {
  EXPECT_EQ(reason(""), "not JSON at byte 1");
  EXPECT_EQ(reason("[]"), "the line is not an object");
  EXPECT_EQ(reason("{\"version\":1e999}"), "not JSON: a number that is too large");
  EXPECT_EQ(reason(std::string(1'000'000, '[')), "not a run: its brackets are too deep");
  EXPECT_THAT(reason("{\"a\":\"\xff\"}"), HasSubstr("not JSON at byte"));
  const std::string line = to_json_line(example());
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(run_from_json_line(line.substr(0, size))) << size;
  }
}

// A long log is written and read in pieces, which show nowhere.
TEST(RunJson, ALongLogIsWhatJsonMakesOfIt) {
  lapcast::Run run = example();
  std::string log = "lapcast-laps 1\n";
  while (log.size() < 300'000)
    log += "12 note \"a\\b\" caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80 \x7f\xc2\x85\t\x01\n";
  run.lap_logs = {"short", log, log.substr(0, 200'000), ""};
  const std::string line = to_json_line(run);
  const nlohmann::json node = nlohmann::json::parse(line);
  EXPECT_EQ(node["lap_logs"], nlohmann::json(run.lap_logs));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(run_from_json_line(line).value(), run);
  // As others write it: every character that may be is escaped, with pairs of surrogates.
  EXPECT_EQ(run_from_json_line(node.dump(-1, ' ', true)).value(), run);
  EXPECT_EQ(run_from_json_line(node.dump(2)).value(), run);
  std::string pieces;
  write_json_line(run, [&](std::string_view piece) {
    EXPECT_LT(piece.size(), 1u << 20);
    pieces += piece;
  });
  EXPECT_EQ(pieces, line);
}

TEST(RunJson, ADamagedLongLogIsRefusedAsAShortOne) {
  lapcast::Run run = example();
  run.lap_logs = {std::string(100'000, 'x')};
  const std::string line = to_json_line(run);
  const std::size_t log = line.find("xxx");
  const auto reason_of = [](const std::string& text) {
    return run_from_json_line(text).error().text;
  };
  const std::string cut = line.substr(0, log + 90'000);
  EXPECT_EQ(reason_of(cut), fmt::format("not JSON at byte {}", cut.size() + 1));
  std::string wrong = line;
  wrong[log + 70'000] = '\x01';
  EXPECT_EQ(reason_of(wrong), fmt::format("not JSON at byte {}", log + 70'001));
  // Of two lists with one name the last counts.
  const std::string twice = line.substr(0, line.size() - 1) + ",\"lap_logs\":[\"y\"]}";
  EXPECT_EQ(run_from_json_line(twice).value().lap_logs, std::vector<std::string>{"y"});
  std::string number = line;
  number.replace(line.find("\"lap_logs\":[") + 12, 0, "7,");
  EXPECT_THAT(reason_of(number), HasSubstr("lap_logs[0] is not text"));
  std::string encoded = line;
  encoded.replace(line.find("\"lap_logs\":[") + 12, 0, "{\"base64\":\"eQ==\"},");
  EXPECT_EQ(run_from_json_line(encoded).value().lap_logs.at(0), "y");
  EXPECT_EQ(run_from_json_line(encoded).value().lap_logs.at(1), run.lap_logs[0]);
}

}  // namespace
}  // namespace lapcast
