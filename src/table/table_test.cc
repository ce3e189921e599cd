#include "table/table.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Seconds s(double seconds) {
  return Seconds{seconds};
}
Money usd(const char* amount) {
  return Money::parse(amount);
}

/// Returns tables with every kind of cell, and with texts that attack each format.
std::vector<Table> example() {
  Table ranking;
  ranking.name = "candidates";
  ranking.title = "Ranking of 3 candidates";
  ranking.before = {"by cost, 12 epochs", "- 2. # <b>not</b> \x1b[31mMarkdown\x1b[0m"};
  ranking.columns = {{"machine", "machine"},   {"batch", "batch"},       {"time_s", "time"},
                     {"cost_usd", "cost"},     {"ratio", "ratio"},       {"share", "best"},
                     {"lap_s", "lap"},         {"price_usd", "price/h"}, {"speed", "speed"},
                     {"measured", "measured"}, {"note", "note"}};
  ranking.rows = {
      {"half", std::int64_t{128}, Interval<Seconds>{s(11.9), s(12.3), s(12.8)},
       Interval<Money>{usd("0.0031"), usd("0.00325"), usd("0.0034")}, Number{1, 2},
       Percentage{0.61}, s(0.0421), usd("0.95"), Interval<double>{120, 123.4, 130}, true,
       "a, \"b\""},
      {"\xe6\xbc\xa2\xe5\xad\x97 caf\xc3\xa9", std::int64_t{1024},
       Interval<Seconds>{s(240), s(252), s(271)}, Interval<Money>::exactly(usd("-12.5")),
       Number{1.2345, 3}, Percentage{0.021}, s(1.5), usd("0.000000001"),
       Interval<double>{-0.5, 0.25, 1}, false, "=cmd|' /C calc'!A0"},
      {"x|y\x1b]0;evil\x07\n*z*\xc2\x9b", std::monostate{}, std::monostate{}, std::monostate{},
       Number{kNan, 2}, Percentage{kInfinite}, s(kNan), Money{}, std::monostate{}, std::monostate{},
       "-1\xff"}};
  ranking.notes = {"1) prices of 2026-11-20", "probes cost $0.01"};
  Table excluded;
  excluded.name = "excluded";
  excluded.columns = {{"machine", "machine"}, {"time_s", "time", kBounds}};
  return {ranking, excluded};
}

std::string written(Format format, bool colour = false) {
  std::ostringstream out;
  write(example(), format, {.colour = colour}, out, "rank");
  return out.str();
}

std::string golden(const std::string& name) {
  const auto path = std::filesystem::path(LAPCAST_SOURCE_DIR) / "tests/golden/report" / name;
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Table, GoldenTexts) {
  EXPECT_EQ(written(Format::table), golden("table.txt"));
  EXPECT_EQ(written(Format::table, true), golden("table-colour.txt"));
  EXPECT_EQ(written(Format::markdown), golden("table.md"));
  EXPECT_EQ(written(Format::csv), golden("table.csv"));
  EXPECT_EQ(written(Format::json), golden("table.json"));
  EXPECT_EQ(written(Format::jsonl), golden("table.jsonl"));
}

TEST(Table, NoFormatLetsTerminalControlThrough) {
  for (const Format format :
       {Format::table, Format::csv, Format::json, Format::jsonl, Format::markdown}) {
    const std::string text = written(format);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x07")));
    EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
  }
}

TEST(Table, JsonIsReadByAParser) {
  const auto document = nlohmann::json::parse(written(Format::json));
  EXPECT_EQ(document["schema"], kJsonSchema);
  EXPECT_EQ(document["command"], "rank");
  auto rows = document["candidates"];
  EXPECT_EQ(rows[0]["time_s_high"], 12.8);
  EXPECT_EQ(rows[0]["note"], "a, \"b\"");
  EXPECT_EQ(rows[1]["note"], "=cmd|' /C calc'!A0");
  EXPECT_TRUE(rows[2]["ratio"].is_null());
  EXPECT_TRUE(document["excluded"].empty());
  EXPECT_EQ(document["notes"][1]["about"], "candidates");
  std::istringstream lines(written(Format::jsonl));
  std::string line;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    rows[i]["table"] = "candidates";
    EXPECT_EQ(nlohmann::json::parse(line), rows[i]);
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Table, NothingAtAll) {
  std::ostringstream out;
  write({}, Format::table, {}, out);
  EXPECT_EQ(out.str(), "");
  write({}, Format::json, {}, out);
  EXPECT_EQ(nlohmann::json::parse(out.str()),
            nlohmann::json::parse(R"({"schema": 1, "command": "", "notes": []})"));
}

TEST(Table, EachShapeHasItsJson) {
  Table machine = figure_table("machine", "This machine",
                               {{"memory_bytes", "memory", Bytes{1536}, "all of it"},
                                {"", "only for people", std::string("a")},
                                {"cores", "", std::int64_t{4}}});
  machine.warnings = {"it is warm"};
  machine.after = {"only for people"};
  Table best{.name = "best", .shape = Shape::keyed, .only_json = true};
  best.columns = {{"by", "by"}, {"settings", "settings"}, {"pareto", "Pareto"}};
  best.rows = {{"cost", Settings{"batch=64 name=two words lr=1e-3"}, Mark{true}},
               {"time", Settings{""}, Mark{}}};
  std::ostringstream out;
  write({machine, best, Table{.title = "not in JSON"}}, Format::json, {}, out, "demo");
  EXPECT_EQ(nlohmann::json::parse(out.str()), nlohmann::json::parse(R"({
    "schema": 1, "command": "demo",
    "machine": {"memory_bytes": 1536, "cores": 4},
    "best": {"cost": {"by": "cost", "settings": {"batch": 64, "name": "two words", "lr": 0.001},
                      "pareto": true},
             "time": {"by": "time", "settings": {}, "pareto": false}},
    "notes": [{"about": "machine", "kind": "warning", "text": "it is warm"}]})"));
  out.str("");
  write({machine, best}, Format::table, {}, out);
  EXPECT_EQ(out.str(),
            "This machine\n\nfigure           value    how it was found\n---------------  -------  "
            "----------------\nmemory           1.5 KiB  all of it\nonly for people  a\n\nonly for "
            "people\nwarning: it is warm\n");
  out.str("");
  write({machine, best}, Format::csv, {}, out);
  EXPECT_EQ(out.str(), "memory_bytes,cores\n1536,4\n");
}

TEST(Table, RowsOfWrongLengthAreFilledOrCut) {
  Table table;
  table.columns = {{"a", "a"}, {"b", "b", {.optional = true, .spare = 1}}};
  table.rows = {{"1"}, {"1", "2", "3"}};
  for (const Format format : {Format::table, Format::csv, Format::json, Format::markdown}) {
    std::ostringstream out;
    write({table}, format, {}, out);
    write({table}, format, {.width = 1}, out);
    EXPECT_THAT(out.str(), Not(HasSubstr("3")));
  }
}

TEST(ParseFormat, KnowsItsNamesAndListsThem) {
  EXPECT_EQ(parse_format("table"), Format::table);
  EXPECT_EQ(parse_format("jsonl"), Format::jsonl);
  try {
    parse_format("xml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("'xml'; choose one of table, csv, json, jsonl, markdown"));
  }
}

TEST(ForPeople, IntervalsShareTheirUnitWhereTheyHaveOne) {
  EXPECT_EQ(for_people(Interval<Seconds>{s(11.9), s(12.3), s(12.8)}), "12.3 s (11.9-12.8)");
  EXPECT_EQ(for_people(Interval<Seconds>{s(0.99), s(1), s(1.01)}), "1.00 s (990 ms to 1.01 s)");
  EXPECT_EQ(for_people(Interval<Seconds>{s(240), s(252), s(271)}),
            "4 min 12 s (4 min 00 s to 4 min 31 s)");
  EXPECT_EQ(for_people(Interval<Seconds>::exactly(s(5))), "5.00 s");
  EXPECT_EQ(for_people(Interval<Seconds>{s(1), s(2), s(kInfinite)}), "2.00 s (1.00 s to no limit)");
  EXPECT_EQ(for_people(Interval<Money>{usd("1"), usd("2"), usd("3")}), "$2.00 (1.00-3.00)");
  EXPECT_EQ(for_people(Interval<double>{-1, 0.5, 2}), "0.500 (-1.000 to 2.000)");
  EXPECT_EQ(for_people(Interval<double>{11111, 12345, 13333}), "12345 (11111-13333)");
  EXPECT_EQ(for_people(Number{0.012345, -1}), "0.0123");
}

TEST(TableOf, HasOneCellForEachColumnOfEachRow) {
  struct Machine {
    std::string name;
    int cores;
    std::optional<Seconds> latency;
  };
  const std::vector<ColumnOf<Machine>> columns{
      {"name", "machine", &Machine::name},
      {"cores", "cores", &Machine::cores, {.spare = 1}},
      {"latency_s", "latency", &Machine::latency, {.optional = true}},
      {"price", "USD", [](auto& m) { return m.cores > 4 ? Cell(usd("2.5")) : Cell(); }}};
  Table table = table_of("fleet", "Fleet", columns,
                         std::vector<Machine>{{"a", 4, s(0.5)}, {"b", 8, std::nullopt}});
  add_row(table, columns, {"c", 16, std::nullopt});
  std::ostringstream out;
  write({table}, Format::csv, {}, out);
  EXPECT_EQ(out.str(), "name,cores,latency_s,price\na,4,0.5,\nb,8,,2.5\nc,16,,2.5\n");
  EXPECT_EQ(table.title, "Fleet");
  EXPECT_TRUE(table.columns[2].traits.optional);
}

TEST(Table, IntervalsAreInPercentWhereTheTerminalIsNarrow) {
  Table table{"", {}, {{"time_s", "time"}, {"note", "note"}}, {}, {}};
  table.rows = {
      {Interval<Seconds>{Seconds{96}, Seconds{100}, Seconds{103}}, std::string("some words more")},
      {Interval<Seconds>{Seconds{50}, Seconds{100}, Seconds{190}}, std::string("few")}};
  const auto at = [&](std::size_t width, bool ascii) {
    std::ostringstream out;
    write({table}, Format::table, {.width = width, .ascii = ascii}, out);
    return out.str();
  };
  EXPECT_THAT(at(0, false), HasSubstr("1 min 40 s (1 min 36 s to 1 min 43 s)  some words more\n"));
  EXPECT_THAT(at(40, false), HasSubstr("1 min 40 s \u00B14 %  some words more\n"));
  EXPECT_THAT(at(40, true), HasSubstr("1 min 40 s +-4 %  some words more\n"));
  EXPECT_THAT(at(40, true), HasSubstr("1 min 40 s -50/+90 %  few\n"));
  EXPECT_THAT(at(37, true), HasSubstr("    1 min 40 s +-4 %  some words more\n"));
}

TEST(Table, LongTextsTakeSeveralLinesWhereTheTerminalIsNarrow) {
  const Table table{"",
                    {},
                    {{"a", "a"}, {"b", "b"}},
                    {{std::int64_t{7}, std::string("one two three four five six seven")}},
                    {}};
  std::ostringstream out;
  write({table}, Format::table, {.width = 20}, out);
  EXPECT_EQ(out.str(),
            "a  b\n-  -----------------\n7  one two three\n   four five six\n   seven\n");
}

TEST(Table, LeavesOutSpareColumnsWhereTheTerminalIsNarrow) {
  Table table;
  table.columns = {
      {"name", "name"}, {"least", "least", {.spare = 2}}, {"less", "less", {.spare = 1}}};
  table.rows = {{"four", std::int64_t{12345}, std::int64_t{1234}}};
  const auto at = [&](std::size_t width) {
    std::ostringstream out;
    write({table}, Format::table, {.width = width}, out);
    return out.str();
  };
  EXPECT_THAT(at(0), HasSubstr("name  least  less\n"));
  EXPECT_EQ(at(17), at(0));  // 4 + 2 + 5 + 2 + 4
  EXPECT_THAT(at(16), HasSubstr("name  less\n"));
  EXPECT_THAT(at(16), HasSubstr("left out to fit the terminal: least;"));
  EXPECT_THAT(at(1), HasSubstr("name\n----\nfour\n"));
  EXPECT_THAT(at(1), HasSubstr("left out to fit the terminal: least, less;"));
}

// Figures that differ stay longer than names stay whole, and an id is never broken.
TEST(Table, BreaksNamesAfterMarksBeforeItLeavesOutWhatDiffers) {
  Table table;
  table.columns = {{"run", "run"},
                   {"machine", "machine"},
                   {"kind", "kind"},
                   {"offer", "offer"},
                   {"cost", "cost"}};
  table.rows = {{"0123456789ab", "Standard_NC24ads_A100_v4", "full", "aws/one", std::int64_t{1234}},
                {"ba9876543210", "e2-highcpu-16", "full", "gcp/two", std::int64_t{5678}}};
  const auto at = [&](std::size_t width) {
    std::ostringstream out;
    write({table}, Format::table, {.width = width}, out);
    return out.str();
  };
  EXPECT_THAT(at(53), HasSubstr("\n0123456789ab  Standard_NC24ads_A100_v4  aws/one  1234\n"));
  EXPECT_THAT(at(53), HasSubstr("left out to fit the terminal: kind;"));
  EXPECT_THAT(at(46), HasSubstr("\n0123456789ab  Standard_NC24ads_  aws/one  1234\n"
                                "              A100_v4\n"));
  EXPECT_THAT(at(32), HasSubstr("\n0123456789ab  Standard_     1234\n"
                                "              NC24ads_\n"
                                "              A100_v4\n"));
  EXPECT_THAT(at(32), HasSubstr("left out to fit the terminal: kind, offer;"));
}

// Columns that differ stay, and no word of up to 24 columns is broken.
TEST(Table, LeavesOutWhatTellsNothingApartFirst) {
  Table table;
  table.columns = {{"machine", "machine"},
                   {"id", "id"},
                   {"where", "where", kOptional | kTellsApart},
                   {"place", "place", kOptional},
                   {"cost", "cost"}};
  table.rows = {{"g4dn.xlarge", "0123456789ab", "here", "a", std::int64_t{1}},
                {"p3.2xlarge", "ba9876543210", "here", "b", std::int64_t{2}}};
  const auto at = [&](std::size_t width) {
    std::ostringstream out;
    write({table}, Format::table, {.width = width}, out);
    return out.str();
  };
  EXPECT_THAT(at(44), HasSubstr("left out to fit the terminal: where;"));
  EXPECT_THAT(at(44), HasSubstr("g4dn.xlarge  0123456789ab  a"));
  EXPECT_THAT(at(31), HasSubstr("g4dn.xlarge  0123456789ab     1\n"));
  EXPECT_THAT(at(30), HasSubstr("g4dn.xlarge  0123456789ab\n"));
}

// Rows that are made when they are written look as those that are held.
TEST(Table, MadeRowsAreWrittenAsHeldOnes) {
  struct Row {
    int number;
    std::string text;
  };
  const std::vector<Row> rows{{1, "a"}, {22, "=b|c"}, {3, ""}};
  const std::vector<ColumnOf<Row>> columns{
      {"number", "number", &Row::number},
      {"", "for people", [](auto& row) { return 10 * row.number; }},
      {"text", "", &Row::text},
      {"none", "none", [](auto&) { return std::optional<int>(); }, kOptional}};
  const Table held = table_of<Row>("laps", "Laps", columns, rows);
  const Table made = table_made_of<Row>("laps", "Laps", columns, rows.size(),
                                        [&](std::size_t i) { return rows[i]; });
  const Table none =
      table_made_of<Row>("laps", "Laps", columns, 0, [&](std::size_t) { return Row(); });
  for (const Format format :
       {Format::table, Format::csv, Format::json, Format::jsonl, Format::markdown}) {
    const auto written = [&](const std::vector<Table>& tables) {
      std::ostringstream out;
      write(tables, format, {.width = 20}, out, "show");
      return out.str();
    };
    EXPECT_EQ(written({made}), written({held}));
    EXPECT_EQ(written({made, held}), written({held, held}));
    EXPECT_EQ(written({none}), written({table_of<Row>("laps", "Laps", columns, {})}));
  }
}

}  // namespace
}  // namespace lapcast
