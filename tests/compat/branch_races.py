"""Races of processes: readers, writers and commands on branches at the same time."""

import collections
import json
import subprocess
import threading
import time

from branch_lines import TABLE, Lines, assert_equal, rows
from row_model import Failure

SWITCHES = 20


class Loops:
    """Runs functions again and again, each in a thread, until they are stopped; the first failure is raised then."""

    def __init__(self, *functions):
        self.stopped = threading.Event()
        self.counts = [0] * len(functions)
        self.failures = []
        self.threads = [threading.Thread(target=self._loop, args=pair) for pair in enumerate(functions)]

    def _loop(self, number, function):
        while not self.stopped.is_set():
            try:
                function()
            except Failure as failure:
                self.failures.append(failure)
                return
            self.counts[number] += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def wait(self, more):
        """Until each has come round that many times more."""
        wanted = [count + more for count in self.counts]
        while not self.failures and any(count < want for count, want in zip(self.counts, wanted)):
            time.sleep(0.005)


def rows_of(lines_of_json):
    return {row["k"]: row["v"] for row in (json.loads(line)["row"] for line in lines_of_json)}


def race_readers(warehouse):
    """Main is replaced and put back while three programs read it: each read is wholly the one or the other."""
    lines = Lines(warehouse)
    lines.write("java", rows(0, 20, "common"))
    lines.tag("java", "day")
    lines.make_branch("fix", "day")
    lines.write("braid", rows(5, 10, "main"))
    lines.write("braid", rows(5, 10, "branch"), "fix")
    states = [dict(lines.rows["main"]), dict(lines.rows["fix"])]
    seen = [collections.Counter() for _ in range(3)]

    def whole(reader, read):
        if read not in states:
            raise Failure(f"{('braid read', 'braid sql', 'java')[reader]} read neither main: {read}")
        seen[reader][states.index(read)] += 1

    def by_read():
        whole(0, lines.read("main"))

    def by_sql():
        printed = [json.loads(line) for line in warehouse.sql(f"SELECT k, v FROM {TABLE}")]
        whole(1, {row["k"]: row["v"] for row in printed})

    def by_java():
        whole(2, rows_of(warehouse.oracle.run("read", warehouse.root, TABLE)))

    with Loops(by_read, by_sql, by_java) as loops:
        loops.wait(1)
        for number in range(SWITCHES):
            # The branch and the former main take turns; every second time the former one is hidden.
            if number % 4 < 2:
                lines.branch("replace-main", "fix" if number % 2 == 0 else "old", "--tags", "branch", "--keep-as",
                             "old" if number % 2 == 0 else "fix")
            elif number % 4 == 2:
                lines.branch("replace-main", "fix", "--tags", "branch")
            else:
                lines.branch("replace-main", "--undo")
                hidden = [name for name in lines.names("--all") if name.startswith("retired-")]
                lines.branch("rename", hidden[0], "fix")
            loops.wait(1)
    counts = [f"{seen[reader][0]} of the one and {seen[reader][1]} of the other by {who}"
              for reader, who in enumerate(("braid read", "braid sql", "java"))]
    return f"{SWITCHES} replacements; " + ", ".join(counts)


def race_creators(warehouse):
    """Two processes make a branch of the same name: one wins, and it is whole."""
    lines = Lines(warehouse)
    lines.write("java", rows(0, 5, "one"))
    lines.tag("java", "day")
    races = 100 if warehouse.options.thorough else 20
    for number in range(races):
        command = [warehouse.options.braid, "branch", "create", warehouse.root, TABLE, f"b{number}", "--tag", "day"]
        racers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        codes = sorted(racer.wait(60) for racer in racers)
        assert_equal(codes, [0, 4], f"exit codes of race {number}")
        texts = [racer.communicate()[1] for racer in racers]
        assert_equal(sum("exists since" in text for text in texts), 1, f"errors {texts}")
    assert_equal(len(lines.names()), races, "branches")
    lines.rows.update({f"b{number}": dict(lines.rows["main"]) for number in (0, races // 2, races - 1)})
    lines.check()
    assert_equal(sorted(lines.tag_files("main")), sorted(["day"] + [f"braid-fork-b{n}" for n in range(races)]), "tags")
    return f"{races} races"


def write_in_loop(warehouse, table, first, written, refused):
    """A function that inserts one row with the next key at each call, and notes whether it was told that it did."""
    keys = iter(range(first, first + 100000))

    def insert():
        key = next(keys)
        try:
            warehouse.sql(f"INSERT INTO {table} VALUES ({key}, 'x')")
        except Failure as failure:
            if "another branch has become main" in str(failure):
                refused.append(key)
                return
            raise
        written.append(key)

    return insert


def race_writers(warehouse):
    """Inserts into a branch and into main go on while the branch becomes main: each is on one line once, or was refused."""
    warehouse.braid(
        {"op": "create_table", "table": TABLE, "columns": [["k", "INT"], ["v", "STRING"]], "options": {"bucket": "-1"}},
        {"op": "write", "table": TABLE, "rows": [[0, "common"]]},
        {"op": "create_tag", "table": TABLE, "tag": "day"},
    )
    on_branch, on_main, refused_branch, refused_main = [], [], [], []
    line = lambda name: TABLE if name == "main" else f"{TABLE}$branch_{name}"
    keys = lambda name: sorted(
        json.loads(text)["row"]["k"] for text in warehouse.run_braid("read", warehouse.root, line(name))
    )
    expected = {}
    for round_number in range(5):
        name, former = f"b{round_number}", f"old{round_number}"
        warehouse.run_braid("branch", "create", warehouse.root, TABLE, name, "--snapshot", "latest")
        before = set(keys("main"))
        on_branch.clear(), on_main.clear()
        with Loops(
            write_in_loop(warehouse, f"d.`t$branch_{name}`", 1000000 * round_number + 1, on_branch, refused_branch),
            write_in_loop(warehouse, "d.t", 1000000 * round_number + 500000, on_main, refused_main),
        ) as loops:
            loops.wait(2)
            warehouse.run_braid("branch", "replace-main", warehouse.root, TABLE, name, "--keep-as", former)
            loops.wait(2)
        new, old = keys("main"), keys(former)
        for rows_found in (new, old):
            assert_equal(len(rows_found), len(set(rows_found)), "rows, none twice")
        assert_equal(set(new) >= before and set(old) >= before, True, "both have what is common")
        beyond = [key for key in new + old if key not in before]
        assert_equal(sorted(beyond), sorted(on_branch + on_main), "rows of both, each once")
        assert_equal([key for key in on_branch if key not in new], [], "rows of the branch that are not on the new main")
        assert_equal(refused_branch, [], "refused on the branch")
        expected[former] = old
        expected["main"] = new
    for name, found in expected.items():
        warehouse.expect_rows(line(name), ["k", "v"], [[key, "common" if key == 0 else "x"] for key in found])
    return f"{len(expected['main'])} rows on main, {len(refused_main)} writes to main refused"


def jobs():
    """Names and functions of a warehouse."""
    for name, function in globals().items():
        if name.startswith("race_"):
            yield name.replace("_", " "), function
