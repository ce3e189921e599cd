"""Stories of a user who asks before renting: which offer trains this program best, and what to try first."""

import json

from conftest import as_measured
from made_workers import run_on_workers

OFFERS = """\
name,provider,machine_type,region,accelerator,accelerator_count,accelerator_memory_gib,price_usd_per_hour,terms,as_of,source
a/t4,a,t4,eu,T4,1,16,0.35,on-demand,2026-11-01,list
a/v100,a,v100,eu,V100,1,16,1.2,on-demand,2026-11-01,list
a/v100-spot,a,v100,eu,V100,1,16,0.5,spot,2026-11-01,list
b/a100,b,a100,us,A100-80GB,1,80,2.0,on-demand,2026-11-01,list
b/l4,b,l4,us,L4,1,,0.7,on-demand,2026-11-01,list
b/8xv100,b,8v100,us,V100,8,16,9,on-demand,2026-11-01,list
b/tpu,b,tpu,us,tpu-v5p-8,1,,4,on-demand,2026-11-01,list
c/cpu,c,c16,us,,0,,0.4,on-demand,2026-11-01,list
"""
PROFILE = """\
accelerator = "Tesla T4"
numbers = "fp32"
memory = "9GiB"

[[lap]]
batch = 64
seconds = 0.5

[[lap]]
batch = 256
seconds = 1.97
"""


def offers(story):
    (story.work / "offers.csv").write_text(OFFERS)
    return ["--offers", "offers.csv"]


def profile(story, text=PROFILE):
    (story.work / "laps.toml").write_text(text)
    return ["--profile", "laps.toml", "--epochs", 20, "--samples", 64000]


def excluded(shown):
    return {row["reason"]: row["offers"] for row in shown["shortlist_excluded"]}


def test_written_laps_rank_every_offer_or_say_why_not(story):
    shown = story.lapcast("shortlist", *profile(story), *offers(story), "--each-offer", "--json").ok().json
    rows = {row["offer"]: row for row in shown["shortlist"]}
    assert set(rows) == {"a/t4", "a/v100", "a/v100-spot", "b/a100", "b/l4"}
    assert sum(excluded(shown).values()) == 3
    # 20 epochs of 1,000 laps of 0.5 s at home; the price makes the bill.
    assert abs(rows["a/t4"]["time_s"] / 10000 - 1) < 0.02
    assert rows["a/t4"]["provenance"] == "measured"
    assert abs(rows["a/t4"]["cost_usd"] / (0.35 * rows["a/t4"]["time_s"] / 3600) - 1) < 0.001
    for name in ("a/v100", "b/a100", "b/l4"):
        assert rows[name]["provenance"] == "transferred"
        assert rows[name]["time_s_high"] > 1.4 * rows[name]["time_s_low"]
        assert rows[name]["time_s_low"] <= rows[name]["time_s"] <= rows[name]["time_s_high"]
    assert abs(sum(row["p_best"] for row in rows.values()) - 1) < 1e-6
    assert rows["b/l4"]["assumed"] is not None and "24 GiB by its name" in rows["b/l4"]["assumed"]


def test_the_answer_names_machines_that_are_worth_three_minutes(story):
    ended = story.lapcast("shortlist", *profile(story), *offers(story), "--gpu", "v").ok()
    assert "a/v100-spot" in ended.out.splitlines()[0]
    text = PROFILE.replace("0.5\n", "500\n").replace("1.97", "1970")
    ended = story.lapcast("shortlist", *profile(story, text), *offers(story)).ok()
    assert "three minutes on" in ended.out.splitlines()[0] and "worth $" in ended.out.splitlines()[0]
    shown = story.lapcast("shortlist", *profile(story, text), *offers(story), "--json").ok().json
    summary = shown["shortlist_summary"]
    assert summary["probes_worth_usd"] > summary["probes_cost_usd"] > 0
    assert 1 <= len(shown["shortlist_probes"]) <= 3


def test_limits_and_filters_leave_offers_out(story):
    shown = story.lapcast("shortlist", *profile(story), *offers(story), "--deadline", "1.5h", "--terms",
                          "on-demand", "--json").ok().json
    assert {row["offer"] for row in shown["shortlist"]} <= {"a/v100", "b/a100", "b/l4"}
    assert excluded(shown)["takes longer than the deadline"] >= 1


def test_too_little_memory_is_a_reason(story):
    text = PROFILE.replace("9GiB", "20GiB")
    shown = story.lapcast("shortlist", *profile(story, text), *offers(story), "--json").ok().json
    assert {row["offer"] for row in shown["shortlist"]} == {"b/a100", "b/l4"}
    assert excluded(shown)["less memory than the 20.0 GiB that the program used at home"] == 3


def test_csv_and_markdown_say_what_was_not_measured(story):
    for form in ("csv", "markdown"):
        out = story.lapcast("shortlist", *profile(story), *offers(story), "--format", form).ok().out
        assert "transferred" in out and "measured" in out


def test_one_batch_says_what_a_second_is_worth(story):
    text = PROFILE[:PROFILE.rindex("[[lap]]")]
    ended = story.lapcast("shortlist", *profile(story, text), *offers(story)).ok()
    assert "one batch size says nothing of the host's part" in ended.out


def test_a_lap_that_the_batch_does_not_change_is_said(story):
    ended = story.lapcast("shortlist", *profile(story, PROFILE.replace("1.97", "0.51")), *offers(story)).ok()
    assert "no ratio holds for sure" in ended.out


def test_a_laptop_without_a_gpu_needs_counted_work(story):
    text = PROFILE.replace('accelerator = "Tesla T4"\n', "").replace('memory = "9GiB"\n', "")
    ended = story.lapcast("shortlist", *profile(story, text), *offers(story))
    assert ended.code == 1 and "no ratio holds" in ended.err
    shown = story.lapcast("shortlist", *profile(story, "flops = 1.5e12\nactivations = 7e8\n" + text),
                          *offers(story), "--json").ok().json
    assert {row["provenance"] for row in shown["shortlist"]} == {"counted"}
    assert all(row["time_s_high"] > 2 * row["time_s_low"] for row in shown["shortlist"])


def test_bad_profiles_are_refused_with_their_place(story):
    for text, said in ((PROFILE.replace("Tesla T4", "Voodoo2"), "'Voodoo2' is in no table"),
                       (PROFILE.replace("fp32", "fp7"), "must be fp32, tf32 or amp"),
                       (PROFILE.replace("seconds = 0.5", "seconds = -1"), "laps.toml:7"),
                       (PROFILE.replace("batch = 64", "size = 64"), "size"),
                       ('accelerator = "T4"\n', "[[lap]]"), (PROFILE.replace("[[lap]]", '[[lap]]\naccelerator = "A100"'), "own machine"), ("lap = 3\n", "[[lap]]")):
        ended = story.lapcast("shortlist", *profile(story, text), *offers(story))
        assert ended.code == 3 and said in ended.err and ended.err.count("\n") == 1, ended
    ended = story.lapcast("shortlist", *profile(story)[:2], *offers(story))
    assert ended.code == 2 and "--epochs" in ended.err


def test_a_probe_on_another_machine_moves_all_rows(story):
    before = story.lapcast("shortlist", *profile(story), *offers(story), "--json").ok().json
    text = PROFILE + '\n[[lap]]\naccelerator = "V100"\nbatch = 64\nseconds = 0.45\n'
    after = story.lapcast("shortlist", *profile(story, text), *offers(story), "--json").ok().json
    was, now = ({row["accelerator"]: row for row in shown["shortlist"]} for shown in (before, after))
    assert now["V100_SXM2"]["provenance"] == "measured" and was["V100_SXM2"]["provenance"] == "transferred"
    assert abs(now["V100_SXM2"]["time_s"] / 9000 - 1) < 0.03
    assert now["A100_80_SXM4"]["time_s"] > 1.2 * was["A100_80_SXM4"]["time_s"]
    assert "V100_SXM2" not in [row["accelerator"] for row in after.get("shortlist_probes", [])]


def test_offers_with_several_accelerators_need_a_program_that_is_told_its_workers(story):
    text = PROFILE.replace("batch = 64", "batch = 64\nworkers = 1")
    shown = story.lapcast("shortlist", *profile(story, text), *offers(story), "--json").ok().json
    rows = {row["accelerator"]: row for row in shown["shortlist"]}
    eight, one = rows["8 x V100_SXM2"], rows["V100_SXM2"]
    assert (eight["provenance"], eight["accelerator_count"]) == ("transferred and scaled", 8)
    assert one["time_s"] / 8 < eight["time_s"] < one["time_s"] / 4
    assert abs(eight["cost_usd"] / (9 * eight["time_s"] / 3600) - 1) < 0.001  # the machine is paid whole
    assert not any("several" in reason for reason in excluded(shown))
    said = " ".join(story.lapcast("shortlist", *profile(story, text), *offers(story)).ok().out.split())
    assert "exchanges between them were not measured" in said
    text += '\n[[lap]]\nbatch = 64\nseconds = 1\nworkers = 2\n'  # two are no faster than one
    said = story.lapcast("shortlist", *profile(story, text), *offers(story), "--count", 8, "--json").ok().json
    assert said["shortlist"][0]["time_s"] > 1.3 * eight["time_s"]
    said = " ".join(story.lapcast("shortlist", *profile(story, text), *offers(story)).ok().out.split())
    assert "scaled rows train on all accelerators of the machine: each accelerator has the batch of one" in said
    ended = story.lapcast("shortlist", *profile(story, text.replace("workers = 2", "workers = 1.5")), *offers(story))
    assert ended.code == 3 and "must be a whole number" in ended.err


def test_stored_runs_on_workers_give_rows_for_several_accelerators(story):
    runs = [run_on_workers(1, 1, 0.3), run_on_workers(2, 2, 0.33)]
    (story.work / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    story.lapcast("import", "runs.jsonl").ok()
    given = [option for run in runs for option in ("--from", run["id"])]
    shown = story.lapcast("shortlist", *given, "--accelerator", "T4", *offers(story), "--json").ok().json
    rows = {row["accelerator"]: row for row in shown["shortlist"]}
    assert rows["T4"]["provenance"] == "measured" and shown["shortlist_summary"]["lap_s"] < 0.31
    assert rows["8 x V100_SXM2"]["provenance"] == "transferred and scaled"
    assert rows["8 x V100_SXM2"]["time_s"] < rows["V100_SXM2"]["time_s"] / 4


def test_a_run_tells_in_which_numbers_its_program_computes(story):
    told = run_on_workers(1, 1, 0.3)
    told["lap_logs"] = [log.replace("\n0 plan", "\n0 numbers amp\n0 plan") for log in told["lap_logs"]]
    silent = run_on_workers(2, 1, 0.3)
    (story.work / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in (told, silent)))
    story.lapcast("import", "runs.jsonl").ok()

    def shown(run, *more):
        given = ["shortlist", "--from", run["id"], "--accelerator", "T4", *offers(story), *more]
        summary = story.lapcast(*given, "--json").ok().json["shortlist_summary"]
        return (summary["numbers"], summary["numbers_from"]), " ".join(story.lapcast(*given).ok().out.split())

    assert shown(told)[0] == ("amp", "program") and "a lap, amp)" in shown(told)[1]
    assert shown(told, "--numbers", "fp32")[0] == ("fp32", "option")
    numbers, said = shown(silent)
    assert numbers == ("fp32", "default") and "fp32, unless --numbers says otherwise" in said


def test_laps_are_measured_on_the_workers_that_are_named(story):
    program = story.trainer("--exact", "--epochs", 20, "--train", 6400, "--lap-ms", 8, "--seed", "{workers}")
    command = ["--accelerator", "T4", "--max-laps", 12, *offers(story), "--json", "--", *program]
    ended = story.lapcast("shortlist", *command)
    assert ended.code == 2 and "--workers" in ended.err
    shown = story.lapcast("shortlist", "--workers", "1,2", *command).ok().json
    assert {run["settings"]["workers"] for run in story.export()} == {"1", "2"}
    assert "8 x V100_SXM2" in {row["accelerator"] for row in shown["shortlist"]}


def test_laps_are_measured_once(story):
    program = story.trainer("--exact", "--epochs", 20, "--train", 6400, "--lap-ms", 8, "--batch", "{batch}")
    command = ["shortlist", "--batch", "32,64", "--accelerator", "T4", "--max-laps", 12, *offers(story), "--json", "--",
               *program]
    first = story.lapcast(*command).ok().json
    assert first["shortlist_summary"]["batch"] == 32
    assert first["shortlist_summary"]["home_accelerator"] == "T4"
    starts = len(story.journal("start"))
    assert starts >= 2
    assert story.lapcast(*command).ok().json == first
    assert len(story.journal("start")) == starts
    runs = [run["id"] for run in story.export() if run["settings"]["batch"] == "32"]
    of_store = story.lapcast("shortlist", "--from", runs[0], "--accelerator", "T4", *offers(story), "--json").ok().json
    assert json.dumps(of_store["shortlist"][0]["offer"])
    assert of_store["shortlist_summary"]["batch"] == 32


def other_program(number, machine, gpu, lap_s):
    """Returns a run of other.py on a machine with that GPU."""
    run = run_on_workers(number, 1, lap_s)
    run["program"] = ["python3", "other.py", "--batch", "{batch}"]
    del run["settings"]["workers"]
    run["machine_type"]["name"] = machine
    run["machine"]["accelerators"] = [{"vendor": "nvidia", "model": gpu, "driver": "", "memory_bytes": 16 << 30}]
    return run


def test_own_programs_on_several_machines_move_the_table(story):
    given = [*profile(story), *offers(story)]
    before = story.lapcast("shortlist", *given, "--json").ok().json
    # The table has a V100 2.5 times as fast as a T4; for the user's other program it is hardly faster.
    runs = [other_program(1, "t4-box", "Tesla T4", 0.40), other_program(2, "v100-box", "Tesla V100-SXM2-16GB", 0.36)]
    (story.work / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    story.lapcast("import", "runs.jsonl").ok()
    assert story.lapcast("shortlist", *given, "--json").ok().json == before  # whoever wrote the file is not the user
    as_measured(story)
    after = story.lapcast("shortlist", *given, "--json").ok().json
    assert [after["shortlist_summary"][key] for key in ("own_programs", "own_machines")] == [1, 2]
    was, now = ({row["accelerator"]: row for row in shown["shortlist"]} for shown in (before, after))
    v100 = now["V100_SXM2"]
    assert v100["time_s"] > 1.1 * was["V100_SXM2"]["time_s"] and v100["provenance"] == "transferred"
    width = [row["time_s_high"] / row["time_s_low"] for row in (v100, was["V100_SXM2"])]
    assert width[0] < width[1]
    assert now["T4"]["time_s"] == was["T4"]["time_s"]  # that was measured
    said = " ".join(story.lapcast("shortlist", *given).ok().out.split())
    assert "1 own program on 2 machines moved the table (class mine); --alone leaves them out" in said
    assert story.lapcast("shortlist", *given, "--alone", "--json").ok().json == before
    # `rank` has them, too, where it ranks offers that were not measured; not of the program itself.
    for number, program, is_other in ((3, "train.py", True), (4, "other.py", False)):
        run = other_program(number, "t4-box", "Tesla T4", 0.3)
        run |= {"program": ["python3", program, "--lr", "0.1"], "sweep": f"5eeb0000004{number}"}
        (story.work / "runs.jsonl").write_text(json.dumps(run) + "\n")
        story.lapcast("import", "runs.jsonl").ok()
        as_measured(story)
        for option in ([], ["--alone"]):
            notes = story.lapcast("rank", "--sweep", run["sweep"], "--with-unmeasured", *offers(story), *option,
                                  "--json").ok().json["notes"]
            assert any("own program" in note["text"] for note in notes) == (is_other and not option), notes
