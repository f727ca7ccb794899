"""Storage that fails: full disks, limits, missing permissions; and what killed processes leave."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess

from harness import LOG_ROWS, PERMISSION, STORAGE, Failure, Program, Skip, case

BIG_INSERT = (
    "INSERT INTO d.log SELECT a.id * 10000 + b.id * 1000 + c.id * 100 + d.id * 10 + e.id, "
    "UUID() || UUID() || UUID() FROM d.log a, d.log b, d.log c, d.log d, d.log e"
)
BIG_UPSERT = BIG_INSERT.replace("INTO d.log SELECT", "INTO d.t SELECT").replace(", UUID()", ", 'p1', UUID()")


@case
def a_limit_on_the_size_of_files(program):
    for limit in (4096, 100_000):
        for statement in (BIG_INSERT, BIG_UPSERT):
            before = program.files()
            run = program.sql(
                statement, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            )
            try:
                program.check(run, STORAGE, "limit")
                if program.files() != before:
                    raise Failure("a failed INSERT leaves files")
                program.check_whole()
            except Failure as failure:
                yield f"{limit} bytes: {failure}"


@contextlib.contextmanager
def disk_with(program, size):
    """A small disk with a copy of the warehouse: the program on that copy, and the disk's folder."""
    disk = program.folder / "disk"
    disk.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True, text=True)
    if mount.returncode:
        raise Skip("this user may not mount")
    try:
        shutil.copytree(program.warehouse, disk / "warehouse")
        on_disk = Program(program.braid, program.folder)
        on_disk.warehouse = disk / "warehouse"
        yield on_disk, disk
    finally:
        subprocess.run(["umount", disk], check=True)


@contextlib.contextmanager
def almost_full(disk, blocks):
    """Leaves so many blocks of 4 KiB on the disk."""
    filler = disk / "filler"
    filler.write_bytes(bytes(max(0, shutil.disk_usage(disk).free - 4096 * blocks)))
    try:
        yield
    finally:
        filler.unlink()


@case
def a_full_disk(program):
    with disk_with(program, "400k") as (on_disk, disk):
        for statement in (BIG_INSERT, BIG_UPSERT):
            before = on_disk.files()
            try:
                on_disk.check(on_disk.sql(statement), STORAGE, "no space is left", "free space")
                if on_disk.files() != before:
                    raise Failure("a failed INSERT leaves files")
                on_disk.check_whole()
            except Failure as failure:
                yield f"{statement.split(' SELECT')[0]}: {failure}"
        # The last bytes go, one block after the other: every write of the commit fails once.
        for blocks in range(1, 12):
            before = on_disk.files()
            with almost_full(disk, blocks):
                run = on_disk.sql("INSERT INTO d.log VALUES (7, 'line 7')")
            try:
                if run.returncode:
                    on_disk.check(run, STORAGE, "no space is left")
                    if on_disk.files() != before:
                        raise Failure(f"a failed INSERT leaves {sorted(map(str, on_disk.files().keys() ^ before.keys()))}")
                    on_disk.check_whole()
                else:
                    on_disk.check_whole(log=(LOG_ROWS + [[7, "line 7"]],))
                    break
            except Failure as failure:
                yield f"{blocks} blocks free: {failure}"
        else:
            yield "no INSERT succeeded"


def bound(program):
    """The program as a user whom permissions bind: root gives up its capabilities."""
    prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] if os.geteuid() == 0 else []
    if prefix and shutil.which("setpriv") is None:
        raise Skip("setpriv is missing, and root may do everything")
    return Program(program.braid, program.folder, prefix)


@case
def missing_permissions(program):
    user = bound(program)
    folders = [program.warehouse, *(path for path in program.warehouse.rglob("*") if path.is_dir())]
    before = program.files()
    for folder in folders:
        folder.chmod(0o555)
    run = user.run("read", program.warehouse, "d.log")
    if run.returncode:
        yield f"a read-only warehouse cannot be read: {run.stderr}"
    for statement in (
        "INSERT INTO d.log VALUES (7, 'x')",
        "INSERT INTO d.t VALUES (7, 'p1', 'x')",
        "CREATE TABLE d.n (a INT)",
        "CREATE DATABASE n",
        "ALTER TABLE d.t ADD (n INT)",
        "DROP TABLE d.log",
        "CALL sys.compact('d.t')",
    ):
        try:
            user.check(user.sql(statement), PERMISSION, "permission denied", "write permission")
        except Failure as failure:
            yield f"{statement}: {failure}"
    for folder in folders:
        folder.chmod(0o755)
    if program.files() != before:
        yield "refused statements have changed the warehouse"
    table = program.warehouse / "d.db" / "log"
    places = [program.warehouse, table.parent, table, table / "snapshot", table / "manifest", table / "bucket-0"]
    for place in [*places, table / "snapshot" / "snapshot-2", table / "schema" / "schema-0"]:
        mode = place.stat().st_mode
        place.chmod(0)
        try:
            user.check(user.run("read", program.warehouse, "d.log"), PERMISSION, "permission denied")
        except Failure as failure:
            yield f"{place.relative_to(program.folder)} without rights: {failure}"
        place.chmod(mode)
    (program.folder / "tmp").chmod(0o555)
    try:
        user.check(user.sql("SELECT COUNT(*) FROM d.t"), PERMISSION, "TMPDIR")
    except Failure as failure:
        yield f"a temporary folder without rights: {failure}"
    (program.folder / "tmp").chmod(0o755)
    program.check_whole()


@case
def killed_processes(program):
    """What one leaves in the temporary folder, the next one removes."""
    temporary = program.folder / "tmp"
    environment = {**os.environ, "HOME": str(program.folder), "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [str(program.braid), "sql", "--no-init", "--output", "statements"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    process.stdin.write("SELECT 1;\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = sorted(path.name for path in temporary.iterdir())
    if len(left) != 2:
        yield f"a killed session should leave a folder and its lock: {left}"
    program.sql("SELECT 1")
    left = sorted(path.name for path in temporary.iterdir())
    if left:
        yield f"left behind: {left}"
