"""Tests which files arrive on a remote machine, byte for byte, and which are never sent or
removed."""

import os
import shutil
import stat

import pytest

from sshd import fleet_entry


@pytest.fixture
def box(remote, story):
    story.fleet(fleet())
    return remote


def fleet(top="", more=""):
    return top + fleet_entry("remote", more)


def put(folder, path, content="", mode=0o644):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content or f"this is {path}\n")
    file.chmod(mode)
    return file


def tree(folder):
    """Returns everything below a folder by path: type, mode, content or target."""
    found = {}
    for path in folder.rglob("*"):
        info = path.lstat()
        if path.is_symlink():
            found[str(path.relative_to(folder))] = ("link", os.readlink(path))
        elif path.is_dir():
            found[str(path.relative_to(folder))] = ("folder", stat.S_IMODE(info.st_mode))
        elif path.is_file():
            found[str(path.relative_to(folder))] = ("file", stat.S_IMODE(info.st_mode),
                                                    path.read_bytes())
    return found


def sweep(story, code=0):
    """Probes anew. Returns the run."""
    ended = story.lapcast("sweep", "fleet.toml", "--again", "--json", "--max-laps", "3", "--",
                          *story.trainer("--laps", 1000, "--lap-ms", 2)).ok(code)
    [row] = ended.rows("probes")
    return story.export(row["run"])[0] if code == 0 else row


def preparation(run):
    return [step["what"] for step in run["preparation"] if step["what"] != "send lapcast"]


def unsent(run):
    return [warning for warning in run["warnings"] if warning.startswith("not sent")]


# A: what is ignored stays at home ----------------------------------------------------------------


SECRETS = (".env", ".npmrc", ".pypirc", ".huggingface/token", ".config/gcloud/key", "kaggle.json",
           ".bash_history", ".zsh_history", ".python_history", "keys/id_rsa", "keys/ssl/server.pem",
           "nested/deep/only/.env", "mixed/.netrc", "cache/huggingface/token")
OTHERS = (".git/config", "lib/__pycache__/a.pyc", "out/model.bin", "out/deep/model.bin")
ODD_NAMES = ("#x.py", ";y", "-z", "a\nb", " blank ", "*", "\u00e4")


def make_program(work):
    """Makes a folder with files of every kind. Returns what must arrive of it."""
    for path in SECRETS + OTHERS:
        put(work, path)
    for path in ODD_NAMES + ("mixed/ok.py", "lib/deep/er/b.py", "lib/a.py"):
        put(work, path)
    put(work, "train.py", mode=0o755)
    put(work, "locked/readme", mode=0o400)
    put(work, ".lapcastignore", "*.bin\n")
    for folder in ("empty", "half/empty", "piped"):
        (work / folder).mkdir(parents=True)
    os.mkfifo(work / "piped" / "pipe")
    (work / "lib" / "deep").chmod(0o750)
    (work / "empty").chmod(0o711)
    for name, target in (("linked", "lib"), ("dangling", "nowhere"), ("absolute", "/etc/hostname"),
                         ("to keys", "keys")):
        (work / name).symlink_to(target)
    return expected(work, "keys", "nested", "out", "piped", "cache")


def expected(work, *folders):
    """Returns all of the folder except the secrets, the other files that stay, and these
    folders."""
    left_out = {*SECRETS, *OTHERS, ".config", ".config/gcloud", ".huggingface", ".git",
                "lib/__pycache__"}
    return {path: entry for path, entry in tree(work).items() if path not in left_out
            and not any(path == folder or path.startswith(folder + "/") for folder in folders)}


def test_a_ignored_files_never_leave(story, box):
    arrives = make_program(story.work)
    assert len(arrives) == 26, sorted(arrives)
    first = sweep(story)
    assert tree(box.sent()) == arrives
    # It is said once, at the first sending: the secrets before the rest, and only some of many.
    [warning] = unsent(first)
    assert warning.startswith("not sent, by lapcast's default rules: .bash_history, .config/gcloud,")
    assert "more; to send one, write !NAME into .lapcastignore" in warning
    put(story.work, "new.py")
    assert unsent(sweep(story)) == []
    (story.work / "new.py").unlink()

    # Between two sweeps folders are renamed, a file becomes a folder and a folder a file.
    work = story.work
    (work / "keys").rename(work / "moved")
    (work / "lib").rename(work / "library")
    shutil.rmtree(work / "out")
    put(work, "out", "a file now\n")
    (work / "train.py").rename(work / "main.py")
    put(work, "train.py/.env")
    put(work, "train.py/part.py")
    (work / "linked").unlink()
    put(work, "linked/x.py")
    shutil.rmtree(work / "half")
    (work / "half").symlink_to("mixed")
    arrives = expected(work, "moved", "nested", "piped", "cache", "library/__pycache__")
    arrives.pop("train.py/.env")
    sweep(story)
    assert tree(box.sent()) == arrives
    for path in box.home.rglob("*"):
        assert path.name not in ("id_rsa", "server.pem", ".env", "model.bin"), path


def test_a_exceptions_send_what_a_default_rule_keeps(story, box):
    for path in ("keys/a.pem", "keys/b.key", ".env"):
        put(story.work, path)
    put(story.work, ".lapcastignore", "!*.pem\n")
    [warning] = unsent(sweep(story))
    assert warning == ("not sent, by lapcast's default rules: .env, keys/b.key; to send one, write "
                       "!NAME into .lapcastignore")
    assert set(tree(box.sent())) == {".lapcastignore", "fleet.toml", "keys", "keys/a.pem"}


def test_a_files_that_change_after_listing_add_nothing(story, box):
    """Between the list and rsync, a file becomes a folder and an empty folder gets a file."""
    for path in ("model", "other"):
        put(story.work, path)
    (story.work / "empty").mkdir()
    tools = story.folder / "tools"
    tools.mkdir()
    put(story.folder, "elsewhere/secret")
    put(tools, "rsync", f"""#!/bin/sh
rm -f model other && mkdir -p model empty && echo secret >model/secret && echo secret >empty/secret
ln -s ../elsewhere other
exec {shutil.which("rsync")} "$@"
""", 0o755)
    story.environment["PATH"] = f"{tools}:{story.environment['PATH']}"
    story.lapcast("sweep", "fleet.toml", "--json", "--max-laps", "3", "--",
                  *story.trainer("--laps", 1000, "--lap-ms", 2))
    arrived = tree(box.sent())
    assert set(arrived) == {"model", "empty", "other", "fleet.toml"}
    assert arrived["other"] == ("link", "../elsewhere")


def test_a_data_sets_are_sent_whole_but_for_secrets(story, box):
    for path in ("data/digits/x.bin", "data/digits/.git/config", "data/digits/.env",
                 "data/digits/keys/id_rsa", "data/digits/token.key", "elsewhere/deep/y"):
        put(story.work, path)
    (story.work / "data" / "digits" / "empty").mkdir()
    (story.work / "data" / "digits" / "linked").symlink_to("../../elsewhere")
    put(story.folder, "absolute/set/z")
    put(story.folder, "absolute/set/.netrc")
    put(story.work, ".lapcastignore", "*.bin\ndata/\n!token.key\n")
    absolute = story.folder / "absolute" / "set"
    story.fleet(fleet('[[data]]\npath = "data/digits/"\nsource = "send"\n'
                      f'[[data]]\npath = "{absolute}"\nsource = "send"\n'))
    listed = story.lapcast("fleet", "check", "--files", "fleet.toml", "--json").ok()
    rows = listed.rows("sent")
    run = sweep(story)  # the absolute path is the same on the remote machine
    assert set(tree(absolute)) == {"z", ".netrc"}
    arrived = {path for path, entry in tree(box.sent()).items() if entry[0] != "folder"}
    assert arrived == {"data/digits/x.bin", "data/digits/.git/config", "data/digits/token.key",
                       "data/digits/linked", "elsewhere/deep/y", "fleet.toml", ".lapcastignore"}
    assert (box.sent() / "data/digits/empty").is_dir() and not (box.sent() / "data/digits/keys").exists()
    assert "data/digits/.env, data/digits/keys/id_rsa" in unsent(run)[0]
    assert {row["path"] for row in rows if row["part"] == "data data/digits"} == {
        "data/digits/.git/config", "data/digits/empty", "data/digits/linked",
        "data/digits/token.key", "data/digits/x.bin"}
    assert {row["path"] for row in rows if row["part"].startswith("data /")} == {"set/z"}


def test_a_a_missing_data_set_is_a_reason(story, box):
    story.fleet(fleet('[[data]]\npath = "digits"\nsource = "send"\n'))
    assert "digits is not here, so it cannot be sent" in sweep(story, 1)["outcome_text"]
    story.fleet(fleet('[[data]]\npath = "./"\nsource = "send"\n'))
    story.lapcast("fleet", "check", "--files", "fleet.toml").refused(3, "not the whole folder")


def test_a_fleet_check_files_lists_what_would_be_sent(story):
    """It reaches no machine: this one does not exist."""
    story.fleet(fleet().replace('host = "remote"', 'host = "no-such-host"'))
    arrives = make_program(story.work)
    ended = story.lapcast("fleet", "check", "--files", "fleet.toml", "--json").ok()
    rows = {row["path"]: row for row in ended.rows("sent")}
    types = {"file": "file", "link": "link", "folder": "empty folder"}
    folders = {path for path, entry in arrives.items() if entry[0] == "folder"}
    assert set(rows) == set(arrives) - (folders - {"empty", "half/empty"})
    for path, row in rows.items():
        assert row["type"] == types[arrives[path][0]] and row["part"] == "program"
        if row["type"] == "file":
            assert row["bytes"] == len(arrives[path][2])
    kept = {row["path"]: row for row in ended.rows("not_sent")}
    assert {"keys/id_rsa", ".env", ".git", "kaggle.json"} <= set(kept) and "out/model.bin" not in kept
    assert kept[".git"]["bytes"] == len("this is .git/config\n")
    assert kept[".git"]["rule"] == "version control, cache" and kept[".env"]["rule"] == "secret"
    plain = story.lapcast("fleet", "check", "--files", "fleet.toml").ok()
    assert "Not sent, by default rules" in plain.out and "a\nb" not in plain.out


# B: data and program leave each other alone ------------------------------------------------------


@pytest.mark.parametrize("source", ["send", "there", "setup"])
def test_b_a_data_set_that_was_part_of_the_program(story, box, source):
    put(story.work, "sets/digits/train.bin", "0123456789\n")
    put(story.work, "sets/readme")
    put(story.work, "train.py")
    sweep(story)
    more = 'setup = "echo $(ls sets/digits) >> set-up.log"' if source == "setup" else ""
    story.fleet(fleet(f'[[data]]\npath = "sets/digits"\nsource = "{source}"\n', more))
    (story.work / "sets" / "readme").unlink()
    sweep(story)
    data = box.sent() / "sets" / "digits" / "train.bin"
    assert data.read_text() == "0123456789\n" and not (box.sent() / "sets" / "readme").exists()
    assert preparation(sweep(story)) == []
    if source == "setup":
        assert (box.sent() / "set-up.log").read_text() == "train.bin\n"
    # Back again: the same files belong to the program only.
    story.fleet(fleet())
    sweep(story)
    assert data.exists() and preparation(sweep(story)) == []


def test_b_a_file_that_is_removed_on_the_machine_is_sent_again(story, box):
    put(story.work, "lib/a.py")
    put(story.work, "digits/train.bin")
    put(story.work, "link-target")
    (story.work / "link").symlink_to("link-target")
    story.fleet(fleet('[[data]]\npath = "digits"\nsource = "send"\n'
                      '[[data]]\npath = "fetched"\nsource = "setup"\n',
                      'setup = "echo x >> fetched"'))
    sweep(story)
    whole = tree(box.sent())
    assert (box.sent() / "fetched").read_text() == "x\n"

    def heals(*, sent=True):
        run = sweep(story)
        assert preparation(run) == (["send program", "send data", "set-up"] if sent else ["set-up"])
        assert preparation(sweep(story)) == []

    (box.sent() / "digits" / "train.bin").unlink()
    (box.sent() / "fetched").unlink()
    heals()
    assert tree(box.sent()) == whole
    shutil.rmtree(box.sent() / "lib")
    (box.sent() / "lib").symlink_to("digits")  # of another type
    (box.sent() / "fetched").unlink()
    heals()
    assert tree(box.sent()) == whole
    shutil.rmtree(box.sent())
    heals()
    assert tree(box.sent()) == whole
    (box.sent() / "fetched").unlink()
    heals(sent=False)
    assert tree(box.sent()) == whole


def test_b_a_folder_with_results_is_not_replaced_by_a_file(story, box):
    put(story.work, "out/config.py")
    sweep(story)
    put(box.sent(), "out/results")
    shutil.rmtree(story.work / "out")
    put(story.work, "out")
    row = sweep(story, 1)
    assert "is a folder with files that lapcast did not send" in row["outcome_text"]
    assert (box.sent() / "out" / "results").exists()
    shutil.rmtree(box.sent() / "out")
    sweep(story)
    assert (box.sent() / "out").is_file()


# D: nothing is touched through a link ------------------------------------------------------------


def test_d_nothing_below_a_link_is_touched(story, box):
    for path in ("sub/x", "sub/y", "train.py"):
        put(story.work, path)
    sweep(story)
    shared = box.home / "shared"
    put(shared, "x", "precious\n")
    put(shared, "y", "precious\n")
    before = tree(shared)
    # A file is deleted, then the whole folder: lapcast looks for neither through the link.
    for gone in ("sub/x", "sub"):
        shutil.rmtree(box.sent() / "sub", ignore_errors=True)
        (box.sent() / "sub").unlink(missing_ok=True)
        (box.sent() / "sub").symlink_to(shared)
        path = story.work / gone
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        sweep(story)
        assert tree(shared) == before
    assert (box.sent() / "sub").is_symlink()  # It is not lapcast's, so it stays.
    # A file is to be sent to its path: a folder replaces the link.
    put(story.work, "sub/x", "of the program\n")
    sweep(story)
    assert tree(shared) == before
    assert not (box.sent() / "sub").is_symlink()
    assert (box.sent() / "sub" / "x").read_text() == "of the program\n"


def test_d_a_work_folder_that_is_a_link_is_refused(story, box):
    put(story.work, "train.py")
    sweep(story)
    shared = box.home / "shared"
    put(shared, "train.py", "precious\n")
    work = box.sent()
    shutil.rmtree(work)
    work.symlink_to(shared)
    row = sweep(story, 1)
    assert "is a link, and lapcast writes through none" in row["outcome_text"]
    assert (shared / "train.py").read_text() == "precious\n"
