"""Several processes that change one table in a bucket at once."""

import concurrent.futures
import random
import threading

from bucket import equal, expect, insert, rows


def committers(braid, processes=8, commits=6):
    """Eight processes commit to one table: nothing is lost, and snapshots have no gap."""
    braid.sql("CREATE DATABASE d; CREATE TABLE d.t (process INT, number INT) WITH ('write-only' = 'true', 'commit.max-retries' = '1000');")

    def work(process):
        for number in range(commits):
            braid.sql(insert("d.t", [(process, number)]))

    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        list(pool.map(work, range(processes)))
    equal(braid.read("d.t"), rows((p, n) for p in range(processes) for n in range(commits)), "rows of eight committers")
    expect(braid.snapshots("d", "t") == list(range(1, processes * commits + 1)), f"snapshots {braid.snapshots('d', 't')}")
    braid.run("table", "check", braid.warehouse, "d.t")


def everything_at_once(braid, writers=3, commits=4):
    """Upserts, appends, compactions, expiry and reads of the same two tables at once."""
    braid.sql("""CREATE DATABASE d;
                 CREATE TABLE d.k (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED)
                   WITH ('bucket' = '2', 'write-only' = 'true', 'commit.max-retries' = '1000', 'snapshot.num-retained.min' = '1');
                 CREATE TABLE d.a (process INT, number INT)
                   WITH ('write-only' = 'true', 'commit.max-retries' = '1000', 'snapshot.num-retained.min' = '1');""")
    braid.sql(insert("d.k", [(-1, "first")]) + insert("d.a", [(-1, -1)]))
    model = {-1: "first"}
    lock = threading.Lock()  # guards model
    over = threading.Event()
    seen = []  # numbers of rows that readers saw, in their order

    def write(process):
        # Keys of its own, so that the order between processes does not matter; each key is written over and over.
        chance = random.Random(process)
        for number in range(commits):
            changes = {process * 100 + chance.randrange(8): f"{process}-{number}-{i}" for i in range(6)}
            braid.sql(insert("d.k", changes.items()) + insert("d.a", [(process, number)]))
            with lock:
                model.update(changes)

    def compact():
        while not over.is_set():
            braid.sql("CALL sys.compact(`table` => 'd.k', compact_strategy => 'full'); CALL sys.compact(`table` => 'd.a');")

    def expire():
        while not over.is_set():
            for table in ("d.k", "d.a"):
                braid.run("table", "expire", braid.warehouse, table, "--retain-max", "2", "--retain-min", "1", "--older-than", "2100-01-01 00:00:00")

    def read():
        while not over.is_set():
            seen.append(sum(braid.read("d.a").values()))

    with concurrent.futures.ThreadPoolExecutor(writers + 3) as pool:
        background = [pool.submit(work) for work in (compact, expire, read)]
        try:
            for writer in [pool.submit(write, process) for process in range(writers)]:
                writer.result()
        finally:
            over.set()
        for work in background:
            work.result()
    equal(braid.read("d.k"), rows(model.items()), "rows of the key table")
    equal(braid.read("d.a"), rows([(-1, -1)] + [(p, n) for p in range(writers) for n in range(commits)]), "rows of the append table")
    expect(seen == sorted(seen), f"a reader saw rows go: {seen}")
    for table in ("d.k", "d.a"):
        braid.run("table", "check", braid.warehouse, table)
    return f"{len(seen)} reads beside"


SCENARIOS = [committers, everything_at_once]
