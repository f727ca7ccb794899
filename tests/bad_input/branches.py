"""Branch, tag and table commands: wrong names, damaged branches, storage that fails."""

import json
import shutil

from damage import damages
from harness import (
    CONFLICT, CORRUPT, EXISTS, INVALID, LOG_ROWS, NOT_FOUND, PERMISSION, STORAGE, UNSUPPORTED, Failure, case,
)  # fmt: skip
from storage import almost_full, bound, disk_with

FIX_ROWS = LOG_ROWS[:3] + [[9, "fixed"]]

# As in arguments.py; W is the warehouse, and d.log has the tag monday at snapshot 1 and the branch fix made from it.
ARGUMENTS = [
    (["branch"], INVALID, ["needs to be told what to do", "create"]),
    (["branch", "creat", "W", "d.log", "b"], INVALID, ["no command 'creat'", "did you mean 'create'"]),
    (["branch", "create", "W", "d.log"], INVALID, ["NAME is missing"]),
    (["branch", "create", "W"], INVALID, ["TABLE is missing"]),
    (["branch", "create", "W", "d.log", "b", "--tga", "monday"], INVALID, ["no option '--tga'", "did you mean '--tag'"]),
    (["branch", "create", "W", "d.log", "b", "--tag", "mondy"], NOT_FOUND, ["tag 'mondy'", "monday"]),
    (["branch", "create", "W", "d.log", "b", "--snapshot", "77"], NOT_FOUND, ["snapshot 77", "braid log"]),
    (["branch", "create", "W", "d.log", "b", "--snapshot", "x"], INVALID, ["'x'", "latest"]),
    (["branch", "create", "W", "d.log", "b", "--snapshot", "0"], INVALID, ["'0'", "latest"]),
    (["branch", "create", "W", "d.log", "b", "--timestamp", "monday"], INVALID, ["monday", "--timestamp"]),
    (["branch", "create", "W", "d.log", "b", "--timestamp", "1999-01-01 00:00:00"], NOT_FOUND, ["1999-01-01"]),
    (["branch", "create", "W", "d.log", "b", "--time-retained", "long"], INVALID, ["long", "--time-retained"]),
    (["branch", "create", "W", "d.log", "b", "--from-branch", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "create", "W", "d.log", "b", "--tag", "monday", "--snapshot", "1"], INVALID, ["tag", "snapshot"]),
    (["branch", "create", "W", "d.log", "fix"], EXISTS, ["fix"]),
    (["branch", "create", "W", "d.log", "main"], INVALID, ["main"]),
    (["branch", "create", "W", "d.log", "7"], INVALID, ["'7'"]),
    (["branch", "create", "W", "d.log", "a/b"], INVALID, ["a/b"]),
    (["branch", "create", "W", "d.log", "..x"], INVALID, ["..x"]),
    (["branch", "create", "W", "d.log", ""], INVALID, ["name"]),
    (["branch", "create", "W", "d.log", "b" * 300], INVALID, ["128 bytes"]),
    (["branch", "create", "W", "d.lgo", "b"], NOT_FOUND, ["d.lgo", "did you mean 'log'"]),
    (["branch", "create", "nowhere", "d.log", "b"], NOT_FOUND, ["nowhere", "does not exist"]),
    (["branch", "create", "W", "d.log", "b", "--lock-timeout", "-1"], INVALID, ["-1"]),
    (["branch", "list", "W", "d.log", "--output", "yaml"], INVALID, ["yaml", "none of"]),
    (["branch", "list", "W", "d.log$files"], INVALID, ["system table", "name the table"]),
    (["branch", "list", "W", "log"], INVALID, ["'log' is no table name"]),
    (["branch", "show", "W", "d.log", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "delete", "W", "d.log", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "delete", "W", "d.log", "main"], INVALID, ["main"]),
    (["branch", "rename", "W", "d.log", "fiks", "b"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "rename", "W", "d.log", "fix", "main"], INVALID, ["main"]),
    (["branch", "rename", "W", "d.log", "fix"], INVALID, ["TO is missing"]),
    (["branch", "merge", "W", "d.log", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "merge", "W", "d.log", "fix", "--target", "nope"], NOT_FOUND, ["branch 'nope'"]),
    (["branch", "merge", "W", "d.log", "fix", "--strategy", "mine"], INVALID, ["mine", "none of"]),
    (["branch", "merge", "W", "d.log", "fix"], CONFLICT, ["main", "fix"]),
    (["branch", "replace-main", "W", "d.log", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "replace-main", "W", "d.log"], INVALID, ["branch"]),
    (["branch", "replace-main", "W", "d.log", "--undo"], NOT_FOUND, ["former main"]),
    (["branch", "replace-main", "W", "d.log", "fix", "--grace-time", "soon"], INVALID, ["soon", "--grace-time"]),
    (["branch", "replace-main", "W", "d.log", "fix", "--expect-head", "77"], CONFLICT, ["77"]),
    (["branch", "adopt", "W", "d.log", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["branch", "protect", "W", "d.log", "fiks"], NOT_FOUND, ["branch 'fiks'", "fix"]),
    (["create-branch", "--warehouse", "W", "--database", "d", "--table", "log", "--name", "b", "--tag", "no"], NOT_FOUND, ["tag 'no'"]),
    (["create-branch", "--warehouse", "W", "--database", "d", "--table", "log"], INVALID, ["NAME is missing"]),
    (["delete_branch", "--warehouse", "W", "--database", "d", "--table", "log", "--branch_name", "no"], NOT_FOUND, ["branch 'no'"]),
    (["merge-branch", "W", "d.log", "no"], NOT_FOUND, ["branch 'no'"]),
    (["replace-main-branch", "W", "d.log", "no"], NOT_FOUND, ["branch 'no'"]),
    (["tag", "create", "W", "d.log"], INVALID, ["NAME is missing"]),
    (["tag", "create", "W", "d.log", "x", "--snapshot", "77"], NOT_FOUND, ["snapshot 77", "braid log"]),
    (["tag", "create", "W", "d.log", "x", "--snapshot", "0"], INVALID, ["--snapshot", "0"]),
    (["tag", "create", "W", "d.log", "x", "--snapshot", "one"], INVALID, ["one", "no number"]),
    (["tag", "create", "W", "d.log", "x", "--snapshot", "9" * 30], NOT_FOUND, ["does not exist", "snapshots 1 to 2"]),
    (["tag", "create", "W", "d.log", "x", "--tag", "mondy"], NOT_FOUND, ["tag 'mondy'", "monday"]),
    (["tag", "create", "W", "d.log", "x", "--tag", "monday", "--snapshot", "1"], INVALID, ["tag", "snapshot"]),
    (["tag", "create", "W", "d.log", "x", "--timestamp", "1999-01-01 00:00:00"], NOT_FOUND, ["1999-01-01"]),
    (["tag", "create", "W", "d.log", "x", "--watermark", "5"], NOT_FOUND, ["watermark"]),
    (["tag", "create", "W", "d.log", "x", "--time-retained", "long"], INVALID, ["long", "--time-retained"]),
    (["tag", "create", "W", "d.log", "monday"], EXISTS, ["monday"]),
    (["tag", "create", "W", "d.log", "a/b"], INVALID, ["a/b"]),
    (["tag", "create", "W", "d.log", ""], INVALID, ["name"]),
    (["tag", "create", "W", "d.log$branch_fiks", "x"], NOT_FOUND, ["branch 'fiks'"]),
    (["tag", "delete", "W", "d.log", "mondy"], NOT_FOUND, ["tag 'mondy'", "monday"]),
    (["tag", "rename", "W", "d.log", "mondy", "x"], NOT_FOUND, ["tag 'mondy'", "monday"]),
    (["tag", "replace", "W", "d.log", "mondy", "--snapshot", "1"], NOT_FOUND, ["tag 'mondy'", "monday"]),
    (["tag", "replace", "W", "d.log", "monday", "--snapshot", "77"], NOT_FOUND, ["snapshot 77"]),
    (["tag", "expire", "W", "d.log", "--older-than", "soon"], INVALID, ["soon", "--older-than"]),
    (["tag", "list", "W", "d.lgo"], NOT_FOUND, ["d.lgo", "did you mean 'log'"]),
    (["table"], INVALID, ["needs to be told what to do", "expire"]),
    (["table", "expire", "W", "d.log", "--retain-max", "-1"], INVALID, ["-1"]),
    (["table", "expire", "W", "d.log", "--retain-max", "1", "--retain-min", "5"], INVALID, ["5", "1"]),
    (["table", "expire", "W", "d.log", "--older-than", "soon"], INVALID, ["soon", "--older-than"]),
    (["table", "expire", "W", "d.lgo"], NOT_FOUND, ["d.lgo", "did you mean 'log'"]),
    (["table", "rollback", "W", "d.log"], INVALID, ["--snapshot", "--tag"]),
    (["table", "rollback", "W", "d.log", "--tag", "mondy"], NOT_FOUND, ["tag 'mondy'", "monday"]),
    (["table", "rollback", "W", "d.log", "--snapshot", "77"], NOT_FOUND, ["snapshot 77"]),
    (["table", "clean", "W", "d.log", "--older-than", "soon"], INVALID, ["soon", "--older-than"]),
    (["table", "why", "W", "d.log"], INVALID, ["FILE is missing"]),
    (["table", "consumers", "W", "d.log", "--reset", "c"], INVALID, ["--next"]),
    (["table", "consumers", "W", "d.log", "--forget", "("], INVALID, ["("]),
]  # fmt: skip

STATEMENTS = [
    ("SELECT * FROM d.`log$branch_fiks`", NOT_FOUND, ["branch 'fiks'", "fix"]),
    ("INSERT INTO d.`log$branch_fiks` VALUES (1, 'x')", NOT_FOUND, ["branch 'fiks'", "fix"]),
    ("SELECT * FROM d.`log$branch_fix$filez`", NOT_FOUND, ["filez", "files"]),
    ("SELECT * FROM d.log /*+ OPTIONS('scan.tag-name' = 'mondy') */", NOT_FOUND, ["tag 'mondy'", "monday"]),
    ("CALL sys.create_branch('d.log', 'b', 'mondy')", NOT_FOUND, ["tag 'mondy'", "monday"]),
    ("CALL sys.create_branch('d.log', 'fix')", EXISTS, ["fix"]),
    ("CALL sys.create_branch('d.lgo', 'b')", NOT_FOUND, ["d.lgo"]),
    ("CALL sys.delete_branch('d.log', 'fiks')", NOT_FOUND, ["branch 'fiks'", "fix"]),
    ("CALL sys.fast_forward('d.log', 'fiks')", NOT_FOUND, ["branch 'fiks'", "fix"]),
    ("CALL sys.create_tag('d.log', 'x', 77)", NOT_FOUND, ["snapshot 77"]),
    ("CALL sys.create_tag('d.log', 'monday', 1)", EXISTS, ["monday"]),
    ("CALL sys.rollback_to('d.log', 'mondy')", NOT_FOUND, ["mondy"]),
]  # fmt: skip


def make_branch(program, warehouse=None):
    """The tag monday at snapshot 1, and the branch fix from it with a row of its own."""
    warehouse = warehouse or program.warehouse
    for words in (
        ["tag", "create", warehouse, "d.log", "monday", "--snapshot", "1"],
        ["branch", "create", warehouse, "d.log", "fix", "--tag", "monday"],
        ["sql", "--no-init", "--warehouse", warehouse, "-D", "execution.runtime-mode=batch", "-e", "INSERT INTO d.`log$branch_fix` VALUES (9, 'fixed')"],
    ):  # fmt: skip
        run = program.run(*words)
        if run.returncode:
            raise Failure(f"braid {' '.join(map(str, words))}: {run.stderr.strip()}")


def contents(program):
    """The warehouse's files without the lock, which names its last holder."""
    return {path: content for path, content in program.files().items() if path.parts[-2:] != (".braid", "lock")}


def state(program):
    """What branches, tags and rows there are."""
    listed = {}
    for what in ("branch", "tag"):
        run = program.run(what, "list", program.warehouse, "d.log", "--output", "json")
        if run.returncode:
            raise Failure(f"nothing can be listed: {run.stderr.strip()}")
        listed[what] = [json.loads(line) for line in run.stdout.splitlines()]
    branches = [[branch[key] for key in ("branch", "parent", "fork_snapshot_id", "is_main", "protected")] for branch in listed["branch"]]
    return branches, [[tag["tag"], tag["snapshot"]] for tag in listed["tag"]], program.rows("d.log")


@case
def wrong_branches_and_tags(program):
    make_branch(program)
    before = contents(program)
    for words, code, fragments in ARGUMENTS:
        words = [str(program.warehouse) if word == "W" else word for word in words]
        try:
            program.check(program.run(*words), code, *fragments)
        except Failure as failure:
            yield f"braid {' '.join(words)}: {failure}"
    for statement, code, fragments in STATEMENTS:
        try:
            program.check(program.sql(statement), code, *fragments)
        except Failure as failure:
            yield f"{statement}: {failure}"
    changed = sorted({str(path.relative_to(program.warehouse)) for path, _ in contents(program).items() ^ before.items()})
    if changed:
        yield f"refused commands have changed {changed}"
    if program.rows("d.log$branch_fix") != FIX_ROWS:
        yield f"the branch holds {program.rows('d.log$branch_fix')}"


@case
def damaged_branches(program):
    """Main goes on; the branch is read rightly or an error names the file, and nothing that needs the damaged file is done."""
    make_branch(program)
    shutil.copytree(program.warehouse, program.folder / "with-branch")
    branch = program.warehouse / "d.db/log/branch/branch-fix"
    for place in ("fork.json", "schema/schema-0", "snapshot/snapshot-1", "snapshot/snapshot-2"):
        for name, damaged in damages((branch / place).read_bytes()).items():
            if damaged is None:
                (branch / place).unlink()
            else:
                (branch / place).write_bytes(damaged)
            for failure in damaged_branch(program, place):
                yield f"{place}, {name}: {failure}"
            shutil.rmtree(program.warehouse)
            shutil.copytree(program.folder / "with-branch", program.warehouse)


def damaged_branch(program, place):
    before = program.files()
    if program.rows("d.log") != LOG_ROWS:
        yield "main holds other rows"
    for words in (["branch", "list"], ["branch", "graph"], ["tag", "list"]):
        run = program.run(*words, program.warehouse, "d.log")
        if run.returncode:
            yield f"braid {' '.join(words)}: {run.stderr.strip()!r}"
    run = program.run("read", program.warehouse, "d.log$branch_fix")
    try:
        if run.returncode:
            program.check(run, (NOT_FOUND, CORRUPT, UNSUPPORTED), *([] if "manifest" in run.stderr else [place.split("/")[0]]))
        elif sorted(list(json.loads(line)["row"].values()) for line in run.stdout.splitlines()) not in (FIX_ROWS, LOG_ROWS[:3], []):
            yield f"the branch is read as {run.stdout}"
    except Failure as failure:
        yield f"braid read: {failure}"
    if program.files() != before:
        yield "reading has changed files"
    for words in (
        ["branch", "show", "W", "d.log", "fix"],
        ["branch", "merge", "W", "d.log", "fix", "--dry-run"],
        ["branch", "replace-main", "W", "d.log", "fix", "--keep-as", "old"],
        ["table", "expire", "W", "d.log", "--retain-max", "1", "--retain-min", "1"],
        ["branch", "delete", "W", "d.log", "fix"],
    ):
        run = program.run(*(program.warehouse if word == "W" else word for word in words))
        if run.returncode:
            try:
                program.check(run, (NOT_FOUND, CORRUPT, UNSUPPORTED, CONFLICT))
            except Failure as failure:
                yield f"braid {' '.join(words)}: {failure}"
        rows = program.rows("d.log")
        if rows not in (LOG_ROWS, FIX_ROWS, LOG_ROWS[:3]):
            yield f"after braid {' '.join(words)} main holds {rows}"


# Each changes the table; the last one works on what the first ones have made.
CHANGES = [
    ["tag", "create", "W", "d.log", "tuesday", "--snapshot", "2"],
    ["branch", "create", "W", "d.log", "b", "--tag", "monday"],
    ["branch", "create", "W", "d.log", "c"],
    ["branch", "rename", "W", "d.log", "fix", "mend"],
    ["branch", "protect", "W", "d.log", "fix"],
    ["branch", "replace-main", "W", "d.log", "fix", "--keep-as", "old"],
    ["tag", "replace", "W", "d.log", "monday", "--snapshot", "2"],
    ["tag", "delete", "W", "d.log", "monday"],
    ["table", "expire", "W", "d.log", "--retain-max", "1", "--retain-min", "1"],
    ["table", "rollback", "W", "d.log", "--snapshot", "1"],
    ["branch", "delete", "W", "d.log", "fix"],
]  # fmt: skip


@case
def changes_on_a_full_disk(program):
    """However little space there is: a change that fails is not there, or one that was decided is completed by the next command."""
    make_branch(program)
    with disk_with(program, "1m") as (on_disk, disk):
        shutil.copytree(program.warehouse, disk / "copy")
        for words in CHANGES:
            words = [on_disk.warehouse if word == "W" else word for word in words]
            old = state(on_disk)
            run = on_disk.run(*words)
            new = state(on_disk)
            if run.returncode or new == old and "expire" not in words:
                raise Failure(f"braid {' '.join(map(str, words))}: exit code {run.returncode}, {run.stderr.strip()!r}")
            for blocks in range(0, 12):
                shutil.rmtree(on_disk.warehouse)
                shutil.copytree(disk / "copy", on_disk.warehouse)
                with almost_full(disk, blocks):
                    run = on_disk.run(*words)
                try:
                    is_full(on_disk, run, words, old, new)
                except Failure as failure:
                    yield f"braid {' '.join(map(str, words))}, {blocks} blocks free: {failure}"
                if run.returncode == 0:
                    break
            shutil.rmtree(on_disk.warehouse)
            shutil.copytree(disk / "copy", on_disk.warehouse)


def is_full(on_disk, run, words, old, new):
    """The command ran on a disk that was full until now."""
    if run.returncode:
        on_disk.check(run, STORAGE, "no space is left", "free space")
    if run.returncode and state(on_disk) == old:
        again = on_disk.run(*words)
        if again.returncode:
            raise Failure(f"with space it fails: {again.stderr.strip()!r}")
    if state(on_disk) != new:
        raise Failure(f"it leaves {state(on_disk)}, not {new}")
    check = on_disk.run("table", "check", on_disk.warehouse, "d.log")
    if check.returncode:
        raise Failure(f"braid table check: {check.stdout} {check.stderr}")


@case
def changes_without_permission(program):
    make_branch(program)
    folders = [program.warehouse, *(path for path in program.warehouse.rglob("*") if path.is_dir())]
    before = contents(program)
    user = bound(program)
    for folder in folders:
        folder.chmod(0o555)
    for words in CHANGES:
        words = [user.warehouse if word == "W" else word for word in words]
        try:
            user.check(user.run(*words), PERMISSION, "permission denied", "write permission")
        except Failure as failure:
            yield f"braid {' '.join(map(str, words))}: {failure}"
    for words in (["branch", "list"], ["branch", "graph"], ["tag", "list"], ["table", "check"]):
        run = user.run(*words, user.warehouse, "d.log")
        if run.returncode:
            yield f"braid {' '.join(words)} in a read-only warehouse: {run.stderr.strip()!r}"
    for folder in folders:
        folder.chmod(0o755)
    if contents(program) != before:
        yield "refused commands have changed the warehouse"
    record = program.warehouse / "d.db/log/branch/branch-fix/fork.json"
    record.chmod(0)
    try:
        user.check(user.run("branch", "merge", user.warehouse, "d.log", "fix", "--dry-run"), PERMISSION, "permission denied", "fork.json")
    except Failure as failure:
        yield f"a fork record without rights: {failure}"
    record.chmod(0o644)
