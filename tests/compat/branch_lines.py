"""A table with branches that Braid and Java work on, and a model of the rows that each line and tag of it must have."""

import copy
import json
import re
import shutil
import subprocess

from row_model import Failure

TABLE, COLUMNS = "d.t", ["k", "v"]


def rows(first, count, text):
    return {k: f"{text} {k}" for k in range(first, first + count)}


def assert_equal(got, want, what):
    if got != want:
        raise Failure(f"{what}: {got}, not {want}")


class Lines:
    """The rows of each line by key: main, and branches by name; and those of tags by line and name."""

    def __init__(self, warehouse, options=()):
        self.warehouse = warehouse
        self.rows = {"main": {}}
        self.tags = {}
        warehouse.braid(
            {
                "op": "create_table",
                "table": TABLE,
                "columns": [["k", "INT NOT NULL"], ["v", "STRING"]],
                "primary_key": ["k"],
                "options": {"bucket": "1", "num-sorted-run.compaction-trigger": "3", **dict(options)},
            }
        )

    def copied_to(self, warehouse):
        """The same in another warehouse; times of files are kept."""
        shutil.copytree(self.warehouse.root, warehouse.root)
        lines = copy.copy(self)
        lines.warehouse = warehouse
        lines.rows = copy.deepcopy(self.rows)
        lines.tags = copy.deepcopy(self.tags)
        return lines

    # Files.

    @property
    def folder(self):
        return self.warehouse.root / "d.db/t"

    def line_folder(self, line):
        return self.folder if line == "main" else self.folder / "branch" / f"branch-{line}"

    def snapshots(self, line):
        """Ids and names of delta lists, which tell snapshots of one id apart."""
        found = []
        for path in (self.line_folder(line) / "snapshot").glob("snapshot-*"):
            try:
                snapshot = json.loads(path.read_text())
            except FileNotFoundError:  # expired since the listing
                continue
            found.append((snapshot["id"], snapshot["deltaManifestList"]))
        return sorted(found)

    def tag_files(self, line):
        """Name of each tag, guard tags included, and its snapshot as `snapshots` gives it."""
        tags = {}
        for path in (self.line_folder(line) / "tag").glob("tag-*"):
            snapshot = json.loads(path.read_text())
            tags[path.name[len("tag-") :]] = (snapshot["id"], snapshot["deltaManifestList"])
        return tags

    def line_names(self):
        """Main and every branch that is a folder, also those that `branch list` hides."""
        return ["main"] + sorted(path.name[len("branch-") :] for path in (self.folder / "branch").glob("branch-*"))

    # Steps. Those that change rows or tags keep the model.

    def step(self, engine, op, line="main", **more):
        step = {"op": op, "table": TABLE, **more}
        if line != "main":
            step["branch"] = line
        getattr(self.warehouse, engine)(step)

    def write(self, engine, new_rows, line="main"):
        self.step(engine, "write", line, rows=[list(row) for row in new_rows.items()])
        self.rows[line].update(new_rows)

    def tag(self, engine, name, line="main"):
        self.step(engine, "create_tag", line, tag=name)
        self.tags[line, name] = dict(self.rows[line])

    def delete_tag(self, engine, name, line="main"):
        self.step(engine, "delete_tag", line, tag=name)
        del self.tags[line, name]

    def upkeep(self, engine, line="main"):
        """Only the head and the tags of the line remain, and no file that nothing needs."""
        self.step(engine, "expire_snapshots", line, retain_max=1)
        self.step(engine, "remove_orphans")

    def branch(self, *words):
        """What `braid branch` prints on the table, as JSON."""
        return [
            json.loads(line)
            for line in self.warehouse.run_braid(
                "branch", words[0], self.warehouse.root, TABLE, *words[1:], "--output", "json"
            )
        ]

    def make_branch(self, name, tag, line="main"):
        self.branch("create", name, "--tag", tag, "--from-branch", line)
        self.rows[name] = dict(self.tags[line, tag])
        self.tags[name, tag] = dict(self.tags[line, tag])

    def put_in_mains_place(self, name, former):
        """The model after a replacement: a branch is main, and the former main is a branch."""
        self.rows["main"], self.rows[former] = self.rows.pop(name), self.rows["main"]
        mains = {tag: held for (line, tag), held in self.tags.items() if line == "main"}
        self.tags = {
            ("main" if line == name else former if line == "main" else line, tag): held
            for (line, tag), held in self.tags.items()
        }
        # Tags before the fork came along.
        for tag in self.tag_files("main"):
            if tag in mains:
                self.tags.setdefault(("main", tag), dict(mains[tag]))

    def names(self, *options):
        return sorted(branch["branch"] for branch in self.branch("list", *options))

    # Reading.

    def name_of(self, line):
        return TABLE if line == "main" else f"{TABLE}$branch_{line}"

    def read(self, line, *reading):
        """The rows that Braid reads."""
        read = self.warehouse.run_braid("read", self.warehouse.root, self.name_of(line), *reading)
        return {row["k"]: row["v"] for row in (json.loads(text)["row"] for text in read)}

    def check(self):
        """Both programs read what the model says; no line has a gap."""
        for line, held in self.rows.items():
            self.expect(line, held)
            ids = [number for number, _ in self.snapshots(line)]
            assert_equal(ids, list(range(ids[0], ids[0] + len(ids))) if ids else [], f"snapshots of {line}")
        for (line, tag), held in self.tags.items():
            self.expect_tag(line, tag, held)

    def expect(self, line, held, reading=(), **more):
        self.warehouse.expect_rows(
            self.name_of(line), COLUMNS, [list(row) for row in held.items()], reading=reading, **more
        )

    def expect_tag(self, line, tag, held):
        """Java looks for the tags of branches among those of main, so it is shown a branch's tag there."""
        assert_equal(self.read(line, "--option", f"scan.tag-name={tag}"), held, f"tag {tag} of {line} as Braid reads it")
        shown = self.folder / "tag" / f"tag-shown-{line}-{tag}"
        shown.write_text((self.line_folder(line) / "tag" / f"tag-{tag}").read_text())
        try:
            self.expect("main", held, ["--option", f"scan.tag-name=shown-{line}-{tag}"], braid=False)
        except Failure as failure:
            raise Failure(f"tag {tag} of {line}: {failure}") from None
        finally:
            shown.unlink()

    def check_nothing_missing(self):
        """Nothing is missing but files of old snapshots of branches: what lies inside the history that lines share is not
        safe from Java on another line (docs/branches.md)."""
        command = [self.warehouse.options.braid, "table", "check", self.warehouse.root, TABLE, "--output", "json"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if not run.stdout:
            raise Failure(f"braid table check: {run.stderr}")
        report = json.loads(run.stdout.splitlines()[0])
        old = set()
        for line in self.line_names():
            if line != "main":
                old |= {f"snapshot {number} of {line}" for number, _ in self.snapshots(line)[:-1]}
        for damage in report["damages"]:
            # What was deleted is waiting to be reclaimed.
            needed = [what for what in damage["affects"] if what not in old and " of .dropped-" not in what]
            if needed:
                raise Failure(f"{damage['path']} {damage['problem']}; needed by {', '.join(needed)}")


IDENTITY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:retired|replace|merge|late)-[0-9a-f]{8}|\d{10,}|:\d+:")


def metadata_of(folder):
    """The metadata files of a table with their content, without names and times that differ from run to run."""
    return sorted(
        (IDENTITY.sub("*", str(path.relative_to(folder))), IDENTITY.sub("*", path.read_text(errors="replace")))
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(("bucket-", "manifest", "index"))
    )
