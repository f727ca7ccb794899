"""Damaged files, and tables of newer versions."""

import json
import shutil

from harness import CORRUPT, INVALID, NOT_FOUND, ROWS, STORAGE, UNSUPPORTED, Failure, case


def damages(content):
    """Names of damages and what the file then holds; None: the file is missing."""
    middle = len(content) // 2
    return {
        "missing": None,
        "empty": b"",
        "cut in half": content[:middle],
        "cut at the end": content[:-1],
        "zeros": bytes(len(content)),
        "other bytes": bytes(range(256)) * (len(content) // 256 + 1),
        "a flipped bit": content[:middle] + bytes([content[middle] ^ 0x40]) + content[middle + 1 :] if content else b"",
    }


def kind_of(path):
    """schema, snapshot, manifest-list …: what the file is."""
    name, folder = path.name, path.parent.name
    for prefix in ("index-manifest", "manifest-list", "manifest", "snapshot", "schema", "index"):
        if name.startswith(prefix + "-"):
            return prefix
    return "hint" if folder == "snapshot" else "data"


@case
def damaged_files(program):
    """Reads and writes of damaged tables: an error that names the file, or the right rows; and the damage is all there is."""
    table = program.warehouse / "d.db" / "t"
    for path in sorted(path for path in table.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for name, damaged in damages(content).items():
            try:
                damaged_file(program, path, damaged)
            except Failure as failure:
                yield f"{kind_of(path)} {path.relative_to(table)}, {name}: {failure}"
            path.write_bytes(content)
            restore(program, path)


def restore(program, path):
    """Undoes what an INSERT that succeeded has committed: the damaged table is made anew for the next case."""
    shutil.rmtree(program.warehouse)
    shutil.copytree(program.folder / "original", program.warehouse)


def damaged_file(program, path, damaged):
    if damaged is None:
        path.unlink()
    else:
        path.write_bytes(damaged)
    before = program.files()
    run = program.run("read", program.warehouse, "d.t")
    if run.returncode == 0:
        read = sorted(list(json.loads(line)["row"].values()) for line in run.stdout.splitlines())
        older = [row for row in ROWS if row[0] < 5] + [[5, "p1", "old"]]
        # Without its newest snapshot a table is what it was before that, and without any it is empty.
        if read != ROWS and not (kind_of(path) == "snapshot" and read in (sorted(older), [])) and not silent(path, damaged):
            raise Failure(f"read without an error: {read}")
    else:
        program.check(run, (NOT_FOUND, CORRUPT, STORAGE, UNSUPPORTED))
        if path.name not in run.stderr and kind_of(path) != "schema":
            raise Failure(f"the error does not name the file: {run.stderr.strip()!r}")
    if program.files() != before:
        raise Failure("reading has changed files")
    insert = program.sql("INSERT INTO d.t VALUES (9, 'p1', 'v9')")
    if insert.returncode:
        program.check(insert, (NOT_FOUND, CORRUPT, STORAGE, UNSUPPORTED))
        left = {str(p.relative_to(program.warehouse)) for p in program.files().keys() ^ before.keys()}
        if left:
            raise Failure(f"a failed INSERT leaves {sorted(left)}")


def silent(path, damaged):
    """Whether nobody could know: a bit within a value of a file without checksums."""
    return kind_of(path) in ("data", "manifest", "manifest-list", "snapshot", "schema") and damaged is not None and len(damaged) == path.stat().st_size


def edit_json(path, **values):
    document = json.loads(path.read_text())
    document.update(values)
    path.write_text(json.dumps(document))


@case
def tables_of_newer_versions(program):
    edits = [
        ("log", "snapshot/snapshot-2", {"version": 99}, ["version 99", "snapshot-2"]),
        ("log", "schema/schema-0", {"version": 99}, ["version 99", "schema-0"]),
    ]
    for table, option, value in (
        ("t", "merge-engine", "newer-engine"),
        ("t", "changelog-producer", "oracle"),
        ("log", "file.format", "lance"),
        ("log", "bucket", "-7"),
        ("log", "manifest.format", "json"),
        ("log", "type", "object-table"),
    ):
        edits.append((table, "schema/schema-0", {"options": {option: value}}, [value]))
    inserts = {"t": "INSERT INTO d.t VALUES (9, 'p1', 'v9')", "log": "INSERT INTO d.log VALUES (7, 'x')"}
    for table, file, values, words in edits:
        path = program.warehouse / "d.db" / table / file
        content = path.read_bytes()
        edit_json(path, **values)
        before = program.files()
        try:
            read = program.run("read", program.warehouse, f"d.{table}")
            # An option that only writers follow does not keep readers from the rows.
            if read.returncode or file.startswith("snapshot"):
                program.check(read, (UNSUPPORTED, INVALID, CORRUPT), *words)
            program.check(program.sql(inserts[table]), (UNSUPPORTED, INVALID, CORRUPT), *words)
            if program.files() != before:
                raise Failure("a refused INSERT leaves files")
        except Failure as failure:
            yield f"{table} {values}: {failure}"
        path.write_bytes(content)
    program.check_whole()
