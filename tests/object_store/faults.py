"""Every request of an operation meets each fault of a network and a store, one at a time.

A store repeats what failed once, so the command succeeds whatever befalls one request. Where the store stays away from
some request on, the command may fail, and then shows all or nothing of what it wanted.
"""

import concurrent.futures
import itertools

import proxy
from bucket import UNAVAILABLE, UNKNOWN, Failure, equal, expect, insert, rows

GONE = "gone from there on"
OLD, NEW = [(1, "old"), (2, "old")], [(1, "new"), (2, "old"), (3, "new")]


class Operation:
    """What is tried, on a copy of a table each time: `words` of a table's name, rows before and after."""

    def __init__(self, name, table, words, before, after, look=None, locks=False, prints=False):
        self.name, self.table, self.words, self.before, self.after = name, table, words, rows(before), rows(after)
        self.look = look or (lambda table: table)  # the name that shows the change
        self.locks = locks
        self.prints = prints  # the rows


def sql(braid, statements):
    return ["sql", "--no-init", "--state-dir", braid.state, "-D", "execution.runtime-mode=batch", "-e", braid.catalog() + statements]


def operations(braid):
    key, append = "k", "a"
    yield Operation("upsert", key, lambda t: sql(braid, insert(t, [(1, "new"), (3, "new")])), OLD, NEW)
    yield Operation("append", append, lambda t: sql(braid, insert(t, [(3, "new")])), OLD, OLD + [(3, "new")])
    yield Operation("compaction", key, lambda t: sql(braid, f"CALL sys.compact(`table` => '{t}', compact_strategy => 'full');"), OLD, OLD)
    yield Operation("expiry", key, lambda t: ["table", "expire", braid.warehouse, t, "--retain-max", "1", "--retain-min", "1",
                                              "--older-than", "2100-01-01 00:00:00"], OLD, OLD)
    yield Operation("branch", key, lambda t: ["branch", "create", braid.warehouse, t, "b", "--snapshot", "latest"], [], OLD,
                    look=lambda t: f"{t}$branch_b", locks=True)
    yield Operation("read", key, lambda t: ["read", braid.warehouse, t], OLD, OLD, prints=True)


class Trial:
    """One run of an operation on a table of its own."""

    def __init__(self, braid, operation, template, name, kind, number):
        self.braid, self.operation, self.name, self.kind, self.number = braid, operation, name, kind, number
        for path, content in template.items():
            braid.put(f"d.db/{name}/{path}", content)

    def run(self):
        """How many requests there were."""
        braid, operation, table = self.braid, self.operation, f"d.{self.name}"
        what = f"{operation.name}, request {self.number}: {self.kind}"
        server = proxy.forward(braid.server.endpoint)
        if self.kind == GONE:
            server.fault = lambda number: "reset before" if number >= self.number else None
        else:
            server.fault = lambda number: self.kind if number == self.number else None
        done = braid.attempt(*operation.words(table), AWS_ENDPOINT_URL=server.endpoint)
        server.shutdown()
        server.server_close()
        count = len(server.requests)
        allowed = (0, UNKNOWN, UNAVAILABLE) if self.kind == GONE else (0,)
        expect(done.returncode in allowed, f"{what}: exit code {done.returncode}: {server.requests[self.number - 1:self.number + 1]} {done.stderr[-600:]}")
        if operation.prints and done.returncode == 0:
            equal(braid.rows_of(done), operation.after, what)
        shown = self.shown()
        expect(shown == operation.after or done.returncode != 0, f"{what}: it says that it is done, and shows {shown}")
        if done.returncode not in (0, UNKNOWN):
            expect(shown == operation.before or operation.before == operation.after, f"{what}: it says that it failed, and shows {shown}")
        expect(shown in (operation.before, operation.after), f"{what}: it shows {shown}")
        # Repeated by whoever looks first. A lock that its holder could not give back counts for a while yet.
        if shown != operation.after:
            again = braid.attempt(*operation.words(table), *(["--lock-timeout", "90"] if operation.locks else []))
            expect(again.returncode == 0, f"{what}: again: {again.stderr[-600:]}")
        equal(self.shown(), operation.after, f"{what}: in the end")
        check = braid.attempt("table", "check", braid.warehouse, table)
        expect(check.returncode == 0, f"{what}: {check.stdout[-600:]}{check.stderr[-300:]}")
        return count

    def shown(self):
        table = self.operation.look(f"d.{self.name}")
        if not self.operation.before and not self.braid.list(f"d.db/{self.name}/branch"):
            return rows([])
        done = self.braid.attempt("read", self.braid.warehouse, table)
        return self.braid.rows_of(done) if done.returncode == 0 else rows([])


def each_request_fails(braid):
    """Writing, compacting, expiring and branching, where any request meets any fault."""
    braid.sql("""CREATE DATABASE d;
                 CREATE TABLE d.k (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED)
                   WITH ('bucket' = '1', 'write-only' = 'true', 'snapshot.num-retained.min' = '1', 'commit.max-retries' = '3');
                 CREATE TABLE d.a (k INT, v STRING) WITH ('write-only' = 'true', 'commit.max-retries' = '3');"""
              + insert("d.k", [(1, "older"), (2, "old")]) + insert("d.k", [(1, "old")]) + insert("d.a", OLD))
    templates = {table: {path: braid.get(f"d.db/{table}/{path}") for path in braid.files(f"d.db/{table}")} for table in "ka"}
    trials, counts = 0, []
    for operation in operations(braid):
        # How many requests there are, when none fails.
        count = Trial(braid, operation, templates[operation.table], f"{operation.name}_0", None, 0).run()
        counts.append(f"{operation.name} {count}")
        cases = itertools.product(range(1, count + 1), [*proxy.FAULTS, GONE])
        # The n-th cases, which meets every request and every fault if n and the number of faults have no factor in common.
        chosen = [case for index, case in enumerate(cases) if index % braid.every == 0 and (case[1] != GONE or index % (3 * braid.every) == 0)]
        work = [Trial(braid, operation, templates[operation.table], f"{operation.name}_{number}_{kind.replace(' ', '_')}", kind, number)
                for number, kind in chosen]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            failures = [failure for failure in pool.map(failure_of, work) if failure]
        if failures:
            raise Failure(f"{len(failures)} of {len(work)}: " + "\n  ".join(failures[:8]))
        trials += len(work)
    return f"{trials} faults; requests: {', '.join(counts)}"


def failure_of(trial):
    try:
        trial.run()
    except Failure as failure:
        return str(failure)
    return None


SCENARIOS = [each_request_fails]
