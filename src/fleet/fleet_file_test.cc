#include "fleet/fleet_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/fleet_machine.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

constexpr const char* kPrices = "[prices]\nas_of = \"2026-11-20\"\nsource = \"demo\"\n";

/// Returns what is wrong with a fleet file, as a user sees it.
std::string problem(const std::string& toml) {
  try {
    parse_fleet(toml, "fleet.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "nothing";
}

/// Returns what is wrong with a machine "a" that costs 1 USD per hour and has these lines too. They
/// start in line 7 of the file.
std::string machine_problem(const std::string& lines) {
  return problem(kPrices + std::string("[[machine]]\nname = \"a\"\nprice = \"1\"\n") + lines);
}

FleetMachine only_machine(const std::string& lines) {
  return parse_fleet(kPrices + std::string("[[machine]]\nname = \"a\"\n") + lines, "f")
      .machines.at(0);
}

TEST(FleetFile, AMachineStandsHereUnlessItSaysWhere) {
  EXPECT_TRUE(is_this_machine(only_machine("price = 1").place_setup.place));
  const PlaceSetup place_setup = only_machine(R"(
price = 1
host = "gpu-box"
group = "rack 1"
folder = "~/probes"
setup = "pip install -r requirements.txt && make"
)")
                                     .place_setup;
  EXPECT_EQ(place_setup.place, Place(SshPlace{"gpu-box"}));
  EXPECT_EQ(place_setup.group, "rack 1");
  EXPECT_EQ(place_setup.folder, "~/probes");
  EXPECT_EQ(place_setup.setup, "pip install -r requirements.txt && make");
}

TEST(FleetFile, SlurmIsAskedForWhatStandsThere) {
  const FleetMachine machine = only_machine(R"(
price = 1
[machine.slurm]
login = "login1"
partition = "gpu"
constraint = "a100&nvlink"
gres = "gpu:a100:4"
account = "lab7"
time_limit = "30m"
flags = ["-c", "4", "--qos=low"]
)");
  const SlurmPlace expected{"login1",
                            "gpu",
                            "a100&nvlink",
                            "gpu:a100:4",
                            "lab7",
                            1'800'000'000'000,
                            {"--cpus-per-task=4", "--qos=low"}};
  EXPECT_EQ(machine.place_setup.place, Place(expected));
  EXPECT_FALSE(machine.every_node_type);
  EXPECT_TRUE(only_machine("price = 1\n[machine.slurm]\nevery_node_type = true").every_node_type);
}

TEST(FleetFile, DataSetsAreOfAllMachinesElsewhere) {
  const Fleet fleet = parse_fleet(kPrices + std::string(R"(
[[data]]
path = "data/mnist"
size = "1.5 kB"
source = "send"
[[data]]
path = "/data/imagenet"
[[machine]]
name = "here"
price = 1
[[machine]]
name = "there"
price = 1
host = "x"
)"),
                                  "f");
  EXPECT_THAT(fleet.machines.at(0).place_setup.data, ElementsAre());
  EXPECT_THAT(fleet.machines.at(1).place_setup.data,
              ElementsAre(DataSet{"data/mnist", 1500, DataSource::send},
                          DataSet{"/data/imagenet", 0, DataSource::on_machine}));
}

TEST(FleetFile, WhatIsWrongWithAPlaceIsSaid) {
  EXPECT_THAT(machine_problem("host = \"-oProxyCommand=x\""), HasSubstr("begins with '-'"));
  EXPECT_THAT(machine_problem("host = \"a b\""), HasSubstr("blank"));
  EXPECT_THAT(machine_problem("host = \"x\"\n[machine.slurm]\n"),
              HasSubstr("has one of host, hosts, [machine.slurm]"));
  EXPECT_THAT(machine_problem("setup = \"make\""), HasSubstr("only for a remote machine"));
  EXPECT_THAT(machine_problem("host = \"x\"\nfolder = \"a\""), HasSubstr("begins with / or ~/"));
  EXPECT_THAT(machine_problem("cpus = \"0\"\n[machine.slurm]\n"), HasSubstr("flags"));
  EXPECT_THAT(machine_problem("[machine.slurm]\npartitoin = \"x\""), HasSubstr("'partition'?"));
  EXPECT_THAT(machine_problem("[machine.slurm]\npartition = \"--wrap=x\""), HasSubstr("option"));
  EXPECT_THAT(machine_problem("[machine.slurm]\nflags = [\"/tmp/x.sh\"]"),
              HasSubstr("neither an option"));
  EXPECT_THAT(machine_problem("[machine.slurm]\nflags = [\"-c\", \"4\", \"--wrap=x\"]"),
              HasSubstr("flags: --wrap is not passed on to Slurm"));
  EXPECT_THAT(machine_problem("[machine.slurm]\nflags = [\"-c\"]"), HasSubstr("lacks its value"));
  EXPECT_THAT(machine_problem("[machine.slurm]\ngres = \"gpu\"\nevery_node_type = true"),
              HasSubstr("leave one of them out"));
  EXPECT_THAT(machine_problem("[[data]]\npath = \"a/../../b\""), HasSubstr("without .."));
  EXPECT_THAT(machine_problem("[[data]]\npath = \"a\"\nsize = \"1 XB\""), HasSubstr("not a size"));
  EXPECT_THAT(machine_problem("[[data]]\npath = \"a\"\n[[data]]\npath = \"a\""),
              HasSubstr("above already"));
  EXPECT_THAT(machine_problem("[[data]]\npath = \"a\"\nsource = \"magic\""), HasSubstr("there"));
}

TEST(FleetFile, ReadsTheWholeExample) {
  const Fleet fleet = parse_fleet(R"(
[prices]
as_of = 2026-11-20
source = "demo"
billing_step = "1s"

[[machine]]
name = "1c-avx2-50"
price = "0.031"
cpus = "0"
cpu_quota = "50%"
needs = "AVX2"
billing_minimum = "60s"
boot = "40s"
[machine.environment]
ONEDNN_MAX_CPU_ISA = "AVX2"
OMP_NUM_THREADS = 1

[[machine]]
name = "cloud"
host = "gpu-box"
offer = "aws/ec2/p3.2xlarge/on-demand"

[[machine]]
name = "ours"
[machine.owned]
purchase = "25000"
years = 1

[sweep]
batch = [128, 512]
lr = 0.1
)",
                                  "fleet.toml");
  ASSERT_EQ(fleet.machines.size(), 3u);
  const FleetMachine& first = fleet.machines[0];
  EXPECT_EQ(first.type.name, "1c-avx2-50");
  EXPECT_THAT(first.type.cpus, ElementsAre(0));
  EXPECT_EQ(first.type.cpu_quota, 0.5);
  EXPECT_THAT(first.type.environment,
              ElementsAre(Pair("OMP_NUM_THREADS", "1"), Pair("ONEDNN_MAX_CPU_ISA", "AVX2")));
  EXPECT_EQ(first.place_setup.needs, "AVX2");
  ASSERT_TRUE(first.offer);
  EXPECT_EQ(first.offer->price.per_hour, Money::parse("0.031"));
  EXPECT_EQ(first.offer->billing, (Billing{1'000'000'000, 60'000'000'000}));
  EXPECT_EQ(first.offer->boot_ns, 40'000'000'000);
  EXPECT_EQ(first.offer->as_of, "2026-11-20");
  EXPECT_EQ(first.offer->source, "demo");
  EXPECT_EQ(first.offer->machine_type, "1c-avx2-50");
  EXPECT_EQ(fleet.machines[1].offer_name, "aws/ec2/p3.2xlarge/on-demand");
  EXPECT_FALSE(fleet.machines[1].offer);
  EXPECT_THAT(fleet.settings, ElementsAre(Pair("batch", ElementsAre("128", "512")),
                                          Pair("lr", ElementsAre("0.1"))));
}

TEST(FleetFile, OwnedMachinesGetTheirHourlyPrice) {  // [K]: 25,000 USD / 8760 h = 2.8538... USD
  const FleetMachine machine = only_machine("[machine.owned]\npurchase = 25000\nyears = 1\n");
  EXPECT_NEAR(machine.offer->price.per_hour.dollars(), 2.853881, 1e-6);
  EXPECT_TRUE(std::holds_alternative<Owned>(machine.offer->terms));
  EXPECT_EQ(machine.offer->billing, (Billing{0, 0}));
}

TEST(FleetFile, PricesAreExactAsTextAndAsNumber) {
  for (const char* price : {"\"0.031\"", "0.031", "3.1e-2"}) {
    EXPECT_EQ(only_machine(std::string("price = ") + price).offer->price.per_hour.nanos(),
              31'000'000)
        << price;
  }
  EXPECT_EQ(only_machine("price = 3").offer->price.per_hour.nanos(), 3'000'000'000);
  EXPECT_EQ(only_machine("price = 0").offer->price.per_hour.nanos(), 0);
}

TEST(FleetFile, RefusesPricesThatAreNone) {
  for (const char* price : {"\"\"", "\"free\"", "\"$1\"", "inf", "nan", "true", "[1]", "1e300",
                            "1.234567890123456", "\"0.0000000001\""}) {
    EXPECT_THAT(problem(kPrices + std::string("[[machine]]\nname = \"a\"\nprice = ") + price),
                StartsWith("fleet.toml:6:9: price: "))
        << price;
  }
}

TEST(FleetFile, APriceMayBeThatOfCapacityThatIsTakenBack) {
  const auto terms_of = [](const std::string& lines) {
    return parse_fleet(kPrices + std::string("[[machine]]\nname = \"a\"\n") + lines, "f")
        .machines.front()
        .offer->terms;
  };
  EXPECT_EQ(terms_of("price = \"1\"\nspot = true\ninterruption_hours = 5\nnotice = \"2m\"\n"),
            Terms(Spot{.hours_between_interruptions = 5, .notice_s = 120}));
  EXPECT_EQ(terms_of("price = \"1\"\nspot = true\n"), Terms(Spot{}));
  EXPECT_EQ(terms_of("price = \"1\"\nspot = false\n"), Terms(OnDemand{}));
  EXPECT_EQ(terms_of("price = \"1\"\n[machine.rent]\nby = \"gcloud\"\ntype = \"t\"\n"
                     "spot = true\n"),
            Terms(Spot{}));
  const auto refused = [](const std::string& lines) {
    return problem(kPrices + std::string("[[machine]]\nname = \"a\"\n") + lines);
  };
  EXPECT_THAT(refused("price = \"1\"\nnotice = \"2m\"\n"), HasSubstr("with spot = true"));
  EXPECT_THAT(refused("spot = true\n"), HasSubstr("only for a machine with a price"));
  EXPECT_THAT(refused("offer = \"x\"\nspot = true\n"), HasSubstr("the catalog says it"));
}

TEST(FleetFile, RefusesANegativePrice) {
  EXPECT_EQ(problem(kPrices + std::string("[[machine]]\nname = \"a\"\nprice = -1")),
            "fleet.toml:6:9: price: negative amount '-1'; write what is paid");
}

TEST(FleetFile, HasAtMostOneWayToPay) {
  const FleetMachine free = parse_fleet("[[machine]]\nname = \"a\"\n", "f").machines.at(0);
  EXPECT_FALSE(free.offer);
  EXPECT_EQ(free.offer_name, "");
  EXPECT_THAT(machine_problem("offer = \"x\"\n"), HasSubstr("several of price, offer"));
  EXPECT_THAT(machine_problem("[machine.owned]\npurchase = 1\nyears = 1\n"),
              HasSubstr("several of price"));
}

TEST(FleetFile, APriceIsOfTheFileWhereItSaysNothingElse) {
  const std::string machine = "[[machine]]\nname = \"a\"\nprice = 1\n";
  const Offer of_file = *parse_fleet(machine, "my.toml", "2026-11-03").machines.at(0).offer;
  EXPECT_EQ(of_file.as_of, "2026-11-03");
  EXPECT_EQ(of_file.source, "fleet file my.toml");
  const Offer own =
      *parse_fleet(machine + "source = \"x\"\nas_of = \"2026\"", "my.toml", "2026-11-03")
           .machines.at(0)
           .offer;
  EXPECT_EQ(own.as_of, "2026");
  EXPECT_EQ(own.source, "x");
}

TEST(FleetFile, ADateThatCannotBeIsRefused) {
  EXPECT_THAT(machine_problem("as_of = \"soon\""), HasSubstr("7:9: as_of: 'soon' is not a date"));
  EXPECT_THAT(machine_problem("as_of = \"2999\""), HasSubstr("cannot be: as_of is in the future"));
  EXPECT_THAT(machine_problem("boot = \"25h\""), HasSubstr("cannot be: boot is longer than a day"));
  EXPECT_THAT(machine_problem("as_of = 2026-11-20T10:00:00"), HasSubstr("is not a date"));
}

TEST(FleetFile, TellsAllThatIsWrongAtOnce) {
  EXPECT_EQ(problem("[[machine]]\nname = \"a\"\nprice = -1\n[[machine]]\nname = \"b\"\npirce = 1\n"
                    "[sweep]\nbatch = []\n"),
            "fleet.toml:3:9: price: negative amount '-1'; write what is paid\n"
            "fleet.toml:6:1: unknown key 'pirce' in [[machine]]; did you mean 'price'?\n"
            "fleet.toml:8:9: no values; write at least one, such as [128]");
}

TEST(FleetFile, RefusesTheSameHardwareUnderSeveralNames) {
  const std::string t4 = "[[machine]]\nname = \"t4\"\nprice = 1\n";
  const std::string v100 = "[[machine]]\nname = \"v100\"\nprice = 3\n";
  EXPECT_EQ(problem(t4 + v100),
            "fleet.toml:1:1: t4, v100 are all this computer: give each a host, or here = true to "
            "compare their prices only");
  EXPECT_EQ(problem(t4 + "here = true\n" + v100 + "here = true\n"), "nothing");
  EXPECT_THAT(problem(t4 + "here = true\n" + v100), HasSubstr("are all this computer"));
  EXPECT_EQ(problem(t4 + v100 + "cpu_quota = \"50%\"\n"), "nothing");
  EXPECT_EQ(problem(t4 + v100 + "[machine.environment]\nA = 1\n"), "nothing");
  EXPECT_EQ(problem(t4 + v100 + "host = \"b\"\n"), "nothing");
  EXPECT_THAT(problem(t4 + "host = \"b\"\n" + v100 + "host = \"b\"\n"),
              HasSubstr("t4, v100 are all ssh b"));
}

TEST(FleetFile, CanBeWrittenForHosts) {
  const Fleet fleet = parse_fleet(fleet_text({"gpu1", "gpu2"}), "f");
  ASSERT_EQ(fleet.machines.size(), 2U);
  EXPECT_EQ(fleet.machines[1].type.name, "gpu2");
  EXPECT_EQ(fleet.machines[1].place_setup.place, Place(SshPlace{"gpu2"}));
  EXPECT_TRUE(is_this_machine(parse_fleet(fleet_text({}), "f").machines.at(0).place_setup.place));
  EXPECT_EQ(fleet_of_this_machine(std::nullopt).machines.at(0).type.name, "this-machine");
}

TEST(FleetFile, PointsAtASyntaxError) {
  EXPECT_THAT(problem("[[machine]]\nname = \"a\n"), StartsWith("fleet.toml:2:"));
  EXPECT_EQ(machine_problem("\n\n[machine.environment]\nA = \"caf\u00e9\""), "nothing");
  EXPECT_EQ(problem("\xef\xbb\xbf# made on Windows\r\n" + std::string(kPrices) +
                    "[[machine]]\r\nname = \"a\"\r\nprice = 1\r\n"),
            "nothing");
  EXPECT_THAT(problem("\xff\xfe"), StartsWith("fleet.toml:1:"));
  for (const char* header : {"[&", "[[#prsc", "[[[1]]]", "[[="}) {  // toml++'s issue 294
    EXPECT_EQ(problem("# one\n" + std::string(header)),
              "fleet.toml:2:1: not TOML; a table is written as [name] or [[name]]");
  }
  EXPECT_EQ(problem(std::string("[m]\n[\0x]", 8)),
            "fleet.toml:2:2: a control character; remove it, or write it as \\uXXXX in quotes");
}

TEST(FleetFile, NamesTheNearestKey) {
  EXPECT_EQ(machine_problem("pirce = 1"),
            "fleet.toml:7:1: unknown key 'pirce' in [[machine]]; did you mean 'price'?");
  EXPECT_THAT(problem("colour = 1"), HasSubstr("it can have machine, prices, rent, sweep"));
}

TEST(FleetFile, RefusesAMachineTwice) {
  EXPECT_EQ(machine_problem("[[machine]]\nname = \"a\"\nprice = 2\n"),
            "fleet.toml:8:8: name: a machine 'a' stands above already; rename one");
}

TEST(FleetFile, RefusesAnEmptyFleet) {
  for (const char* toml : {"", "# nothing\n", "machine = []\n"}) {
    EXPECT_THAT(problem(toml), HasSubstr("no machine types; add a [[machine]]")) << toml;
  }
  EXPECT_THAT(problem("[machine]\nname = \"a\"\n"), HasSubstr("with two brackets"));
  EXPECT_THAT(problem("machine = [1]"), HasSubstr("write [[machine]] as a table"));
}

TEST(FleetFile, RefusesBadCpus) {
  EXPECT_THAT(machine_problem("cpus = \"3-1\""),
              StartsWith("fleet.toml:7:8: cpus: bad CPU list '3-1'"));
  EXPECT_THAT(machine_problem("cpus = 2"), HasSubstr("write the numbers of CPUs as text"));
}

TEST(FleetFile, RefusesBadQuotas) {
  for (const char* quota : {"50", "%", "-5%", "0%", "1e2%", "nan%", "50 %", "x%"}) {
    EXPECT_THAT(machine_problem("cpu_quota = \"" + std::string(quota) + "\""),
                HasSubstr("is not a CPU quota; write a percentage"))
        << quota;
  }
  EXPECT_THAT(machine_problem("cpu_quota = 0.5"), HasSubstr("write it as text"));
  EXPECT_THAT(machine_problem("cpus = \"0\"\ncpu_quota = \"101%\""),
              HasSubstr("more than the 100% of its CPUs"));
  EXPECT_EQ(machine_problem("cpus = \"0-1\"\ncpu_quota = \"200%\""), "nothing");
}

TEST(FleetFile, RefusesBadNames) {
  for (const char* name : {"\"\"", "\" a\"", "\"a\\u0000b\"", "\"a\\nb\"", "1"}) {
    EXPECT_THAT(problem("[[machine]]\nname = " + std::string(name)),
                StartsWith("fleet.toml:2:8: name: "))
        << name;
  }
  EXPECT_THAT(problem("[[machine]]\nprice = 1"), HasSubstr("[[machine]] has no name"));
}

TEST(FleetFile, RefusesBadEnvironment) {
  const auto environment = [](const std::string& line) {
    return machine_problem("[machine.environment]\n" + line);
  };
  EXPECT_THAT(environment("1A = \"x\""), StartsWith("fleet.toml:8:1: environment '1A': names"));
  EXPECT_THAT(environment("\"A=B\" = \"x\""), HasSubstr("names have letters"));
  EXPECT_THAT(environment("\"\" = \"x\""), HasSubstr("names have letters"));
  EXPECT_THAT(environment("LAPCAST_DIR = \"x\""), HasSubstr("lapcast sets"));
  EXPECT_THAT(environment("A = \"x\\u0000\""), HasSubstr("control characters"));
  EXPECT_THAT(environment("A = true"), HasSubstr("write the value as text"));
  EXPECT_EQ(environment("A = \"\"\n"), "nothing");  // an empty value is one
}

TEST(FleetFile, RefusesTermsThatBelongElsewhere) {
  EXPECT_THAT(problem("[[machine]]\nname = \"a\"\noffer = \"x\"\nboot = \"1s\""),
              HasSubstr("the catalog says it of the offer"));
  EXPECT_THAT(problem(kPrices + std::string("[[machine]]\nname = \"a\"\nbilling_step = \"1s\"\n"
                                            "[machine.owned]\npurchase = 1\nyears = 1")),
              HasSubstr("not billed in steps"));
  EXPECT_THAT(machine_problem("boot = \"soon\""), StartsWith("fleet.toml:7:8: boot: 'soon' is"));
  EXPECT_THAT(machine_problem("needs = \"MMX\""), HasSubstr("not a vector extension"));
}

TEST(FleetFile, RefusesBadOwnedTerms) {
  const auto owned = [](const std::string& lines) {
    return problem(kPrices + std::string("[[machine]]\nname = \"a\"\n[machine.owned]\n") + lines);
  };
  EXPECT_THAT(owned("years = 1"), HasSubstr("[machine.owned] has no purchase"));
  EXPECT_THAT(owned("purchase = 1\nyears = 0"), HasSubstr("'0' is not a number from 0.01 to 100"));
  EXPECT_THAT(owned("purchase = 1\nyears = 1\nutilisation = 1.5"), HasSubstr("utilisation"));
  EXPECT_THAT(owned("purchase = 1\nyears = 1\npower_kw = 1"), HasSubstr("go together"));
}

TEST(FleetFile, RefusesBadSettings) {
  const auto sweep = [](const std::string& line) { return machine_problem("[sweep]\n" + line); };
  EXPECT_THAT(sweep("batch = []"), HasSubstr("8:9: no values"));
  EXPECT_THAT(sweep("batch = [1, 1]"), HasSubstr("the value '1' stands twice"));
  EXPECT_THAT(sweep("batch = [[1]]"), HasSubstr("a value is text or a number"));
  EXPECT_THAT(sweep("run_dir = 1"), HasSubstr("cannot be a placeholder"));
  EXPECT_THAT(sweep("Batch = 1"), HasSubstr("cannot be a placeholder"));
}

TEST(FleetFile, RefusesWhatIsTooDeepOrTooLarge) {
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  EXPECT_THAT(problem(dots + " = 1"), HasSubstr("more than 200 dots"));
  EXPECT_THAT(problem("[sweep]\na.b.c.d.e.f.g.h.i.j.k = 1"), HasSubstr("nested too deeply"));
  EXPECT_NE(problem("a = " + std::string(100'000, '[')), "nothing");
  EXPECT_THAT(problem(std::string(2 << 20, '#')), HasSubstr("larger than 1 MiB"));
}

TEST(FleetFile, ACutFileNeverCrashes) {
  const std::string whole =
      kPrices + std::string(
                    "[[machine]]\nname = \"a\"\nprice = 0.5\n[machine.environment]\nA = "
                    "\"b\"\n[sweep]\nb = [1]\n");
  EXPECT_EQ(problem(whole), "nothing");
  for (std::size_t size = 0; size < whole.size(); ++size) problem(whole.substr(0, size));
}

/// Returns what take_offers() says of a machine that names an offer, else the name that it has.
std::string offer_problem(const std::string& name) {
  Offer v100, a100;
  v100.name = "aws/ec2/p3.2xlarge/on-demand";
  v100.machine_type = "p3.2xlarge";
  a100.name = a100.machine_type = "a100";
  Fleet fleet{{only_machine("offer = \"" + name + "\"")}, {}};
  try {
    take_offers(fleet, {v100, a100}, "fleet.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return fleet.machines[0].offer_name;
}

TEST(TakeOffers, TakesTheNameAndTheMachineTypeOfAnOffer) {
  EXPECT_EQ(offer_problem("aws/ec2/p3.2xlarge/on-demand"), "aws/ec2/p3.2xlarge/on-demand");
  EXPECT_EQ(offer_problem("p3.2xlarge"), "p3.2xlarge");
  EXPECT_EQ(offer_problem("P3.2xlarge"), "p3.2xlarge");
}

TEST(TakeOffers, RefusesAnUnknownOneWithTheNearestName) {
  EXPECT_EQ(
      offer_problem("aws/ec2/p3.2xlarg/on-demand"),
      "fleet.toml: machine 'a': no catalog has the offer 'aws/ec2/p3.2xlarg/on-demand'; did you "
      "mean 'aws/ec2/p3.2xlarge/on-demand'?");
  EXPECT_EQ(
      offer_problem("our-cluster/a100"),
      "fleet.toml: machine 'a': no catalog has the offer 'our-cluster/a100'; name the catalog "
      "that has it with --offers FILE.csv");
}

MachineDescription two_cpus() {
  MachineDescription here;
  here.allowed_cpus = {0, 1};
  here.quota_settable = true;
  here.isa = "AVX2";
  return here;
}

TEST(CannotRunHere, NothingSpeaksAgainstIt) {
  MachineType type{"a", {0, 1}, 1.5, {}};
  EXPECT_EQ(why_cannot_run(type, two_cpus()), std::nullopt);
  EXPECT_EQ(why_cannot_run(MachineType{}, two_cpus()), std::nullopt);
}

TEST(CannotRunHere, CpusThatAreNotThere) {
  EXPECT_EQ(why_cannot_run(MachineType{"a", {1, 2, 3}, {}, {}}, two_cpus())->text,
            "CPU 2-3 cannot be used here: this process may use 0-1");
}

TEST(CannotRunHere, QuotasThatCannotBeSet) {
  MachineDescription here = two_cpus();
  EXPECT_THAT(why_cannot_run(MachineType{"a", {}, 2.5, {}}, here)->text, HasSubstr("above 200%"));
  here.quota_settable = false;
  here.missing = {"no CPU quota can be set: run as root"};
  EXPECT_EQ(why_cannot_run(MachineType{"a", {}, 0.5, {}}, here)->text, here.missing[0]);
}

TEST(CannotRunHere, AVectorExtensionThatIsNotThere) {
  FleetMachine machine;
  machine.place_setup.needs = "AVX-512";
  EXPECT_EQ(why_cannot_run(machine, two_cpus())->text,
            "it needs AVX-512, and the widest vector extension here is AVX2");
  machine.place_setup.needs = "AVX";
  EXPECT_EQ(why_cannot_run(machine, two_cpus()), std::nullopt);
}

}  // namespace
}  // namespace lapcast
