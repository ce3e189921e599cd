"""Prints the figures of the truth benchmarks."""

import math

from common import print_figure
from truth.judging import (JudgedSweep, called_shares, judged_intervals, log_and_brier, quantile,
                           reals_by_machine, regrets)
from truth.recording import arguments, number_of, record, recorded


def judged(options, condition):
    """Returns the recorded sweeps of a condition, judged, the oldest first. Each knows all that were
    recorded before it, whichever half they are of."""
    sweeps = []
    for store in recorded(options.replay or options.folder, condition):
        sweeps.append(JudgedSweep(options.build, store, sweeps))
    rest = {"even": 0, "odd": 1}.get(options.half)
    return [each for each in sweeps if rest is None or number_of(each.packed) % 2 == rest]


def own(sweep):
    return sweep.real


def describe(what, judged_rows, fixed):
    """Prints one line of how intervals did, beside those of a fixed prior."""
    print(f"{what}: {100 * judged_rows.share:.1f} % inside (95 %: {100 * judged_rows.low:.1f} to "
          f"{100 * judged_rows.high:.1f}); with a fixed prior of 2 %: {100 * fixed.share:.1f} %")
    if math.isnan(judged_rows.score):
        print(f"{what}: no interval score: too few real runs on one machine")
    else:
        print(f"{what}: interval score {judged_rows.score:.3f}, "
              f"{judged_rows.score / judged_rows.oracle:.2f} times that of an oracle "
              f"({judged_rows.oracle:.3f}); with a fixed prior of 2 %: {fixed.score:.3f}")


def report_coverage(condition):
    options = arguments(f"judges forecasts under the condition {condition}")
    if not options.replay:
        record(options, condition)
    sweeps = judged(options, condition)
    for sweep in sweeps:
        inside = [float(row["time_s_low"]) <= real <= float(row["time_s_high"])
                  for name, row in sweep.by_time.items() for real in sweep.real.get(name, [])]
        print(f"{sweep.name}: {sum(inside)} of {len(inside)} real runs inside")
    fixed = judged_intervals(sweeps, lambda sweep: sweep.fixed_prior, own)
    as_measured = judged_intervals(sweeps, lambda sweep: sweep.by_time, own)
    if not as_measured:
        raise SystemExit(f"truth-{condition}: too few sweeps are recorded")
    describe(f"{len(sweeps)} sweeps", as_measured, fixed)
    after = [sweep for sweep in sweeps if sweep.earlier]
    if after:
        describe(f"{len(after)} sweeps, with an empty store",
                 judged_intervals(sweeps, lambda sweep: sweep.by_time, own, after),
                 judged_intervals(sweeps, lambda sweep: sweep.fixed_prior, own, after))
        describe(f"the same, with earlier sweeps of the machine in the store",
                 judged_intervals(sweeps, lambda sweep: sweep.learned, own, after),
                 judged_intervals(sweeps, lambda sweep: sweep.fixed_prior, own, after))
    if condition == "neighbour":
        report_undisturbed(sweeps, judged(options, "quiet"))
    print_figure(f"truth-{condition}", 100 * as_measured.share, "%")


def report_undisturbed(sweeps, quiet_sweeps):
    """Judges forecasts for an undisturbed machine by the real runs on the quiet one."""
    if not quiet_sweeps:
        print("undisturbed: no sweeps of truth-quiet are recorded, whose real runs judge this")
        return
    real = reals_by_machine(quiet_sweeps)
    rows = sum(len(sweep.undisturbed) for sweep in sweeps)
    print(f"undisturbed: {rows} of {sum(len(sweep.by_time) for sweep in sweeps)} candidates had "
          f"enough laps with little delay")
    def quiet(sweep):
        return real.get(sweep.machine, {})

    found = judged_intervals(sweeps, lambda sweep: sweep.undisturbed, quiet)
    fixed = judged_intervals(sweeps, lambda sweep: sweep.fixed_prior, quiet)
    if found:
        describe("undisturbed", found, fixed)


CONDITIONS_OF_ODDS = ("quiet", "neighbour", "steal")


def report_odds():
    options = arguments("judges the chances that rank gives, over the sweeps that were recorded")
    cases = {}
    for condition in CONDITIONS_OF_ODDS:
        cases[condition] = called_shares(judged(options, condition))
    everything = [case for each in cases.values() for case in each]
    if not everything:
        raise SystemExit("truth-odds: no sweeps are recorded: ./bench truth-quiet records some")
    for name, (ours, base) in log_and_brier(everything).items():
        print(f"{name}: {ours:.4f}; with the base rate for all: {base:.4f}")
    for low in (0, 0.2, 0.4, 0.6, 0.8):
        of_bin = [case for case in everything if low <= case.chance < low + 0.2 or
                  (low == 0.8 and case.chance == 1)]
        if of_bin:
            said = sum(case.chance for case in of_bin) / len(of_bin)
            right = sum(case.right for case in of_bin) / len(of_bin)
            print(f"chances of {low:.1f} to {low + 0.2:.1f}: {len(of_bin)}, {said:.3f} on average; "
                  f"{right:.3f} were right")
    for condition, each in cases.items():
        picks = [case for case in each if case.is_pick]
        sure = [case for case in picks if case.chance >= 0.9]
        if picks:
            print(f"{condition}: {len(sure)} of {len(picks)} picks were called 90 % or more, "
                  f"{sum(case.right for case in sure)} of them were right")
    sure = [case for case in everything if case.is_pick and case.chance >= 0.9]
    print_figure("truth-odds", 100 * sum(case.right for case in sure) / max(1, len(sure)), "%")


def report_regret():
    options = arguments("judges what rank's picks cost over the best candidate")
    if not options.replay:
        record(options, "quiet")
    found = [each for sweep in judged(options, "quiet") for each in regrets(sweep)]
    if not found:
        raise SystemExit("truth-regret: no sweeps are recorded")
    picks, known = zip(*found)
    for of, values in (("the picks", picks), ("who knew half of the real runs", known)):
        print(f"regret of {of}: median {100 * quantile(values, 0.5):.2f} %, 90th percentile "
              f"{100 * quantile(values, 0.9):.2f} %")
    above = quantile(picks, 0.9) - quantile(known, 0.9)
    print_figure("truth-regret", 100 * above, "points")
