"""Commands on streaming jobs: wrong names and damaged files of a job."""

import contextlib
import fcntl
import os
import pathlib
import select
import shutil
import signal

from damage import damages
from harness import CONFLICT, CORRUPT, INVALID, NOT_FOUND, STORAGE, UNSUPPORTED, Failure, case

# As in arguments.py; S is the folder of jobs, with the job copy, which has stopped.
ARGUMENTS = [
    (["job"], INVALID, ["needs to be told what to do", "list"]),
    (["job", "lst"], INVALID, ["no command 'lst'", "did you mean 'list'"]),
    (["job", "show"], INVALID, ["JOB is missing"]),
    (["job", "show", "cop"], NOT_FOUND, ["cop", "did you mean 'copy'"]),
    (["job", "show", "nothing"], NOT_FOUND, ["nothing", "braid job list"]),
    (["job", "wait", "nothing"], NOT_FOUND, ["nothing"]),
    (["job", "stop", "nothing"], NOT_FOUND, ["nothing"]),
    (["job", "stop"], INVALID, ["--all"]),
    (["job", "stop", "copy", "--all"], INVALID, ["--all"]),
    (["job", "stop", "copy"], CONFLICT, ["copy"]),
    (["job", "savepoint", "copy"], CONFLICT, ["copy"]),
    (["job", "restart", "nothing"], NOT_FOUND, ["nothing"]),
    (["job", "restart", "copy", "--from-savepoint", "nowhere"], NOT_FOUND, ["nowhere"]),
    (["job", "restart", "copy", "--from-savepoint", "x", "--rebuild-state"], INVALID, ["exclude each other"]),
    (["job", "logs", "copy", "--lines", "x"], INVALID, ["x", "no number"]),
    (["job", "logs", "copy", "--lines", "0"], INVALID, ["--lines", "0"]),
    (["job", "list", "--output", "xml"], INVALID, ["xml", "none of"]),
    (["job", "run"], INVALID, ["nothing to run", "-e"]),
    (["job", "run", "--no-init", "--warehouse", "W", "-e", "INSERT INTO d.log SELECT * FROM d.lgo"], NOT_FOUND, ["lgo", "did you mean"]),
    (["job", "run", "--no-init", "--warehouse", "W", "-e", "INSERT OVERWRITE d.log SELECT * FROM d.log"], UNSUPPORTED, ["INSERT OVERWRITE"]),
    (["job", "run", "--no-init", "--warehouse", "W", "-f", "none.sql"], NOT_FOUND, ["none.sql"]),
    (["sql", "--no-init", "--warehouse", "W", "-e", "STOP JOB 'nothing'"], NOT_FOUND, ["nothing"]),
]  # fmt: skip


def words_of(program, words):
    """With W and S in full; every command on jobs is told where they are."""
    words = [str(program.warehouse) if word == "W" else word for word in words]
    if len(words) > 1 and words[1] not in ("lst",):
        words += ["--state-dir", str(program.folder / "state")]
    return words


@contextlib.contextmanager
def stopped_job(program, **more):
    """The job copy from d.log to d.copied has run and stopped. Its folder; no job is left running."""
    state = ["--state-dir", program.folder / "state"]
    steps = [
        ["sql", "--no-init", "--warehouse", program.warehouse, "-e", "CREATE TABLE d.copied (id INT, text STRING)"],
        ["job", "run", *state, "--no-init", "--warehouse", program.warehouse, "-D", "pipeline.name=copy", "-e", "INSERT INTO d.copied SELECT * FROM d.log"],
        ["job", "wait", "copy", "--caught-up", *state],
        ["job", "stop", "copy", *state],
    ]  # fmt: skip
    try:
        for words in steps:
            run = program.run(*words, **more)
            if run.returncode:
                raise Failure(f"braid {' '.join(map(str, words))}: {run.stderr.strip()}")
        (record,) = (program.folder / "state").rglob("job.json")
        yield record.parent
    finally:
        program.run("job", "stop", "--all", *state)


@case
def wrong_jobs(program):
    with stopped_job(program):
        before = program.files()
        for words, code, fragments in ARGUMENTS:
            words = words_of(program, words)
            try:
                program.check(program.run(*words), code, *fragments)
            except Failure as failure:
                yield f"braid {' '.join(words)}: {failure}"
        if program.files() != before:
            yield "refused commands have changed the warehouse"


@case
def damaged_jobs(program):
    """Errors name the file, and the other jobs are listed; what is put back works again."""
    with stopped_job(program) as folder:
        state = ["--state-dir", program.folder / "state"]
        for path in (folder / "job.json", folder / "status.json", folder / "state.duckdb"):
            content = path.read_bytes()
            every = damages(content)
            for name, damaged in ((name, every[name]) for name in ("missing", "cut in half", "other bytes")):
                if damaged is None:
                    path.unlink()
                else:
                    path.write_bytes(damaged)
                for words in (["list"], ["show", "copy"], ["logs", "copy"], ["restart", "copy"], ["stop", "copy"]):
                    try:
                        run = program.run("job", *words, *state)
                        if run.returncode:
                            program.check(run, (NOT_FOUND, CONFLICT, CORRUPT, STORAGE, UNSUPPORTED))
                    except Failure as failure:
                        yield f"{path.name}, {name}: braid job {' '.join(words)}: {failure}"
                if program.rows("d.copied") != program.rows("d.log"):
                    yield f"{path.name}, {name}: the copy holds {program.rows('d.copied')}"
                path.write_bytes(content)


@case
def state_held_by_others(program):
    """While a process holds the state file the job does not run, and nothing of it changes; afterwards it goes on."""
    with stopped_job(program) as folder:
        state = ["--state-dir", program.folder / "state"]
        program.sql("INSERT INTO d.log VALUES (7, 'line 7')")
        path = folder / "state.duckdb"
        before = path.read_bytes()
        with path.open("r+b") as held:  # and nowhere else in this process: closing any other would end the lock
            fcntl.lockf(held, fcntl.LOCK_EX)
            for words in (["restart", "copy"], ["restart", "copy", "--rebuild-state"]):
                run = program.run("job", *words, *state)
                program.check(run, CONFLICT, "state.duckdb", "another process")
        if path.read_bytes() != before:
            yield "the state file was changed"
        program.run("job", "restart", "copy", *state)
        waited = program.run("job", "wait", "copy", "--caught-up", *state)
        if waited.returncode or program.rows("d.copied") != program.rows("d.log"):
            yield f"the job does not go on: {waited.stderr.strip()}, the copy holds {program.rows('d.copied')}"


@case
def missing_folders_of_jobs(program):
    """Without the folder that it was started in a job fails and says so; without its own folder its processes end."""
    working = program.folder / "working"
    working.mkdir()
    with stopped_job(program, cwd=working) as folder:
        state = ["--state-dir", program.folder / "state"]
        working.rmdir()
        program.check(program.run("job", "restart", "copy", *state), NOT_FOUND, str(working), "make it again")
        if "FAILED" not in program.run("job", "list", *state).stdout:
            yield "a job without its working folder does not show as failed"
        working.mkdir()
        if program.run("job", "restart", "copy", *state).returncode:
            yield "the job does not start in the folder that was made again"
        supervisor = int((folder / "supervisor").read_text())
        worker = int(pathlib.Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()[0])
        shutil.rmtree(folder)
        end = os.pidfd_open(supervisor)
        os.kill(worker, signal.SIGKILL)
        has_ended, _, _ = select.select([end], [], [], 30)
        os.close(end)
        if not has_ended:
            os.kill(supervisor, signal.SIGKILL)
            yield "the supervisor of a job without a folder goes on"
