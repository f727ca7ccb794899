"""Attacks: an operation of Braid on branches is killed at its n-th file operation, Java works on the table as the crash
left it, and Braid's next command repairs it.

Wherever it was killed, afterwards every line must have the rows of before or of after the operation, and what Java
committed in between must be on one line, once. Then Java expires and cleans all lines, and they must still have them."""

import itertools
import json
import shutil
from typing import Callable, NamedTuple

from branch_lines import TABLE, Lines, assert_equal, metadata_of, rows
from row_model import Failure

ON_MAIN, ON_BRANCH = rows(200, 2, "java on main"), rows(300, 2, "java on branch")


class Attack(NamedTuple):
    words: list  # the operation, for interrupt_branch
    prepare: Callable  # puts the table into the state before it
    settle: Callable  # (lines, names of branches after the repair): puts into the model what must hold


def write_to_main(lines):
    lines.step("java", "write", rows=[list(row) for row in ON_MAIN.items()])
    lines.written.update(ON_MAIN)


def write_to_branch(lines):
    """Where there is one, and still of that name."""
    if "fix" in lines.line_names():
        lines.step("java", "write", "fix", rows=[list(row) for row in ON_BRANCH.items()])
        lines.written.update(ON_BRANCH)


def delete_the_tag(lines):
    if "day" in lines.tag_files("main"):
        lines.step("java", "delete_tag", tag="day")
    lines.tag_deleted = True


def expire_main(lines):
    lines.step("java", "expire_snapshots", retain_max=1)


def compact_main(lines):
    lines.step("java", "compact")


def clean(lines):
    lines.step("java", "remove_orphans")


# What Java does between the crash and the repair.
MEANWHILE = {
    "repair alone": [],
    "a write to main": [write_to_main],
    "a write to the branch": [write_to_branch],
    "expiry": [compact_main, expire_main],
    "cleaning": [clean],
    "deletion of the tag": [delete_the_tag],
    "all": [write_to_main, write_to_branch, compact_main, delete_the_tag, expire_main, clean],
}


def history(warehouse):
    """Main with a tag `start` at its beginning, a tag `day`, and a snapshot more; compactions in between, so that expiry
    has files to delete."""
    lines = Lines(warehouse)
    lines.written = {}
    lines.tag_deleted = False
    lines.write("java", rows(0, 6, "one"))
    lines.tag("java", "start")
    lines.write("braid", rows(3, 6, "two"))
    lines.step("java", "compact")
    lines.write("java", rows(7, 3, "three"))
    lines.tag("braid", "day")
    return lines


def diverged(lines):
    """Main and the branch `fix`, made from `day`, have both gone on."""
    lines.make_branch("fix", "day")
    lines.write("java", rows(20, 4, "later"))
    lines.step("java", "compact")
    lines.write("java", rows(5, 2, "fixed"), "fix")
    lines.write("braid", rows(30, 2, "fixed"), "fix")


def on_line(lines, line, base):
    """The model of a line: its rows, and of what Java wrote meanwhile that which is there."""
    read = lines.read(line)
    lines.rows[line] = {**base, **{k: v for k, v in lines.written.items() if k in read}}


def keep_tags_that_are_there(lines):
    """Java may have deleted the tag on either line."""
    for (line, tag) in list(lines.tags):
        if line not in lines.rows or (lines.tag_deleted and tag == "day" and tag not in lines.tag_files(line)):
            del lines.tags[line, tag]


def settle_branch(*names):
    """The branch is there under one of the names, or not at all; main is as before."""

    def settle(lines, there):
        base = lines.rows.pop("fix", None) or lines.tags["main", "day"]
        tags = {tag: held for (line, tag), held in lines.tags.items() if line == "fix"} or {"day": lines.tags["main", "day"]}
        lines.tags = {key: held for key, held in lines.tags.items() if key[0] != "fix"}
        assert_equal([name for name in there if name not in names], [], "other branches")
        assert_equal(len(there) <= 1, True, f"one of {names}: {there}")
        on_line(lines, "main", lines.rows["main"])
        for name in there:
            on_line(lines, name, base)
            lines.tags.update({(name, tag): held for tag, held in tags.items()})

    return settle


def renamed(lines, there):
    assert_equal(len(there), 1, f"one branch: {there}")
    settle_branch("fix", "work")(lines, there)


def prepare_merge(lines):
    lines.make_branch("fix", "day")
    lines.states = [dict(lines.rows["main"])]
    for engine, new in (("java", rows(5, 2, "first")), ("braid", rows(30, 2, "second")), ("java", rows(0, 2, "third"))):
        lines.write(engine, new, "fix")
        lines.states.append(dict(lines.rows["fix"]))
        if len(lines.states) == 3:
            lines.tag("java", "made", "fix")


def merged(lines, there):
    """Main has a first part of the branch's snapshots, and what Java wrote then; the tag if it got so far."""
    assert_equal(there, ["fix"], "branches")
    read = {k: v for k, v in lines.read("main").items() if k not in lines.written}
    if read not in lines.states:
        raise Failure(f"main has rows of no snapshot: {read}")
    on_line(lines, "main", read)
    on_line(lines, "fix", lines.rows["fix"])
    if "made" in lines.tag_files("main"):
        lines.tags["main", "made"] = dict(lines.tags["fix", "made"])
    elif read == lines.states[-1]:
        raise Failure("the tag of the branch did not come along")


def replaced(lines, there):
    """Main is as before, or it is the branch and the former main is a branch."""
    before = lines.rows["main"]
    if (lines.folder / "MAIN-BRANCH").exists():
        # For Braid alone: asked for, or since Java wrote to the branch while that was about to move.
        assert_equal(there, ["fix"], "branches")
        on_line(lines, "fix", lines.rows["fix"])
        assert_equal(lines.read("main"), lines.rows["fix"], "main where it is a branch")
        lines.branch("materialize-main")
        there = lines.names("--all")
    elif "fix" in there:
        assert_equal(there, ["fix"], "branches")
        on_line(lines, "main", before)
        on_line(lines, "fix", lines.rows["fix"])
        return
    late = [name for name in there if name.startswith("late-") and name.endswith("-fix")]
    former = [name for name in there if name not in late]
    assert_equal(len(former), 1, f"former mains among {there}")
    assert_equal(former[0] == "old" or former[0].startswith(("retired-", "late-")), True, f"name of the former main {former}")
    lines.put_in_mains_place("fix", former[0])
    new = lines.rows["main"]
    on_line(lines, "main", new)
    on_line(lines, former[0], before)
    for name in late:  # what landed on the branch after it had become main
        on_line(lines, name, new)
        lines.tags.update({(name, tag): held for (line, tag), held in list(lines.tags.items()) if line == "main"})


def prepare_undo(lines):
    diverged(lines)
    lines.branch("replace-main", "fix")
    lines.former = lines.names("--all")[0]
    lines.put_in_mains_place("fix", lines.former)
    lines.write("java", rows(40, 2, "on new main"))
    lines.step("java", "compact")
    expire_main(lines)


def undone(lines, there):
    """Main is as before, or the former main is back and the other is a branch that says so."""
    before = lines.rows["main"]
    assert_equal((lines.folder / "MAIN-BRANCH").exists(), False, "a pointer")
    if there == [lines.former]:
        on_line(lines, "main", before)
        return
    kept = [name for name in there if name.startswith("undone-")]
    assert_equal((len(kept), len(there)), (1, 1), f"the main that was undone among {there}")
    lines.put_in_mains_place(lines.former, kept[0])
    on_line(lines, "main", lines.rows["main"])
    on_line(lines, kept[0], before)


def prepare_pointer(lines):
    diverged(lines)
    lines.branch("replace-main", "fix", "--no-materialize")


ATTACKS = {
    "create": Attack(["create", "fix", "day"], lambda lines: None, settle_branch("fix")),
    "delete": Attack(["delete", "fix"], diverged, settle_branch("fix")),
    "rename": Attack(["rename", "fix", "work"], diverged, renamed),
    "merge": Attack(["merge", "fix"], prepare_merge, merged),
    "replace": Attack(["replace", "fix"], diverged, replaced),
    "replace and keep": Attack(["replace", "fix", "old"], diverged, replaced),
    "undo": Attack(["undo"], prepare_undo, undone),
    "replace without moving": Attack(["point", "fix"], diverged, replaced),
    "materialize": Attack(["materialize"], prepare_pointer, replaced),
}


def check_repaired(lines, attack):
    """The repair has ended: no journal, no folder half-made; and everything is as the model says."""
    lines.read("main")  # repairs
    there = lines.names("--all")
    attack.settle(lines, there)
    keep_tags_that_are_there(lines)
    for k in lines.written:
        holders = [line for line, held in lines.rows.items() if k in held]
        went_with_its_branch = attack.words[0] == "delete" and k in ON_BRANCH and not there
        assert_equal(len(holders), 0 if went_with_its_branch else 1, f"lines with what Java wrote among {holders}")
    left = [path.name for folder in (".braid/op", ".braid/staging") for path in (lines.folder / folder).glob("*")]
    left += [path.name for path in (lines.folder / "branch").glob(".new-*")]
    assert_equal(left, [], "left after the repair")
    lines.check()
    lines.check_nothing_missing()


def maintain_all(lines):
    """Java's expiry and cleaning find out what only the model holds. Where a branch has tags that main has not, which Java's
    expiry on a branch does not see, Braid's does it."""
    for line in lines.rows:
        lines.step("java", "compact", line)
        unseen = set(lines.tag_files(line).values()) - set(lines.tag_files("main").values())
        lines.step("braid" if unseen else "java", "expire_snapshots", line, retain_max=1)
    lines.step("java", "remove_orphans")


def run(warehouse, attack, meanwhile, every):
    """Returns at how many points the operation was killed, and how many of them left the table in a state of its own."""
    start = type(warehouse)(warehouse.options, warehouse.oracle, warehouse.folder / "before")
    start.folder.mkdir()
    before = history(start)
    attack.prepare(before)
    states, kills = [], 0
    for number in itertools.count(1, every):
        place = type(warehouse)(warehouse.options, warehouse.oracle, warehouse.folder / f"at-{number}")
        place.folder.mkdir()
        lines = before.copied_to(place)
        lines.written = {}
        told = warehouse.run_program(warehouse.options.interrupt_branch, place.root, TABLE, number, *attack.words)
        struck = json.loads(told[-1])["struck"]
        kills += struck
        state = metadata_of(lines.folder)
        if state not in states[-1:]:  # most operations only read
            states.append(state)
            try:
                for step in meanwhile:
                    step(lines)
                check_repaired(lines, attack)
                maintain_all(lines)
                lines.check()
                lines.check_nothing_missing()
            except Failure as failure:
                steps = ", ".join(step.__name__.replace("_", " ") for step in meanwhile)
                raise Failure(f"killed at file operation {number}, then Java: {steps or 'nothing'}: {failure}") from None
        if not struck:
            return f"killed at {kills} of {number - 1} file operations, which left {len(states)} states"
        shutil.rmtree(place.folder)


def jobs(every, thorough):
    """Names and functions of a warehouse."""
    for name, attack in ATTACKS.items():
        for what, meanwhile in MEANWHILE.items():
            if thorough or what == "all":
                yield f"attack {name}, {what}", lambda warehouse, attack=attack, meanwhile=meanwhile: run(
                    warehouse, attack, meanwhile, every
                )
