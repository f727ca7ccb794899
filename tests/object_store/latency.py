"""How much requests overlap: a table of many files behind a store that takes its time for every request."""

import os
import time

import proxy
from bucket import expect, insert, rows

DELAY_S = 0.02
COMMITS, PARTITIONS = 20, 20  # a file of each
TRIES = 4
OVERLAPPING = 4  # requests at once, at least; how many more depends on what else the machine does


def overlap(braid):
    """What asks for many files asks for many at once."""
    braid.sql("""CREATE DATABASE d;
                 CREATE TABLE d.many (part INT, id INT, text STRING) PARTITIONED BY (part) WITH ('write-only' = 'true');
                 CREATE TABLE d.wide (part INT, k INT, v STRING, PRIMARY KEY (part, k) NOT ENFORCED) PARTITIONED BY (part)
                   WITH ('bucket' = '1', 'write-only' = 'true');""")
    for table in ("d.many", "d.wide"):
        braid.sql("".join(insert(table, [(part, commit, f"{part}-{commit}") for part in range(PARTITIONS)]) for commit in range(COMMITS)))
    all_rows = rows((part, commit, f"{part}-{commit}") for part in range(PARTITIONS) for commit in range(COMMITS))
    far = proxy.forward(braid.server.endpoint, delay_s=DELAY_S)
    through = {"AWS_ENDPOINT_URL": far.endpoint}

    def measure(name, *words, at_once=1):
        del far.requests[:]
        far.most_running, times = 0, []
        for delay in (0.0, DELAY_S):
            far.delay_s = delay
            start = time.monotonic()
            done = braid.run(*words, **through)
            times.append(time.monotonic() - start)
        count, trips = len(far.requests) // 2, (times[1] - times[0]) / DELAY_S
        print(f"  {name}: {count} requests, {far.most_running} at once, {trips:.0f} round trips, {times[1] * 1000:.0f} ms", flush=True)
        expect(far.most_running >= at_once, f"{name}: only {far.most_running} of {count} requests at once")
        return done

    for table in ("d.many", "d.wide"):
        measure(f"plan of {table}", "files", braid.warehouse, table, at_once=OVERLAPPING)
        done = measure(f"scan of {table}", "read", braid.warehouse, table, at_once=OVERLAPPING)
        expect(braid.rows_of(done) == all_rows, f"rows of {table}")
    sql = ["sql", "--no-init", "--state-dir", braid.state, "-D", "execution.runtime-mode=batch", "-e"]
    measure("count by SQL", *sql, braid.catalog() + "SELECT COUNT(*) FROM d.many;")
    measure("one row by SQL", *sql, braid.catalog() + "SELECT * FROM d.wide WHERE part = 3 AND k = 4;")
    measure("commit to d.many", *sql, braid.catalog() + insert("d.many", [(0, 0, "again")]))
    measure("commit to each partition", *sql, braid.catalog() + insert("d.wide", [(part, 0, "again") for part in range(PARTITIONS)]))
    measure("compaction", *sql, braid.catalog() + "CALL sys.compact(`table` => 'd.wide', compact_strategy => 'full');", at_once=OVERLAPPING)
    measure("expiry", "table", "expire", braid.warehouse, "d.wide", "--retain-max", "5", "--retain-min", "5", "--older-than", "2100-01-01 00:00:00", at_once=OVERLAPPING)
    measure("check", "table", "check", braid.warehouse, "d.many", at_once=OVERLAPPING)
    far.shutdown()


def round_trips(braid):
    """How many answers a command on a small table waits for, one after the other."""
    braid.sql("""CREATE DATABASE d;
                 CREATE TABLE d.a (id INT, text STRING);
                 CREATE TABLE d.k (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');"""
              + insert("d.a", [(1, "one")]) + insert("d.k", [(1, "one")]))
    far = proxy.forward(braid.server.endpoint)

    def once(*words):
        far.round_trips = proxy.Rounds()
        braid.run(*words, AWS_ENDPOINT_URL=far.endpoint)
        return far.round_trips.rounds[:-1]

    def count(name, most, *words):
        rounds = once(*words)
        for _ in range(TRIES - 1):  # on a busy machine what overlaps may count twice
            if len(rounds) > most:
                rounds = min(rounds, once(*words), key=len)
        print(f"  {name}: {sum(map(len, rounds))} requests, {len(rounds)} round trips", flush=True)
        if os.environ.get("BRAID_SHOW_REQUESTS"):
            for number, requests in enumerate(rounds, 1):
                print(f"    {number}: " + ", ".join(sorted(f"{method} {path.replace('/' + braid.warehouse[5:], '')}" for method, path in requests)))
        if len(rounds) > most:
            failures.append(f"{name}: {len(rounds)} round trips, {most} at most")

    failures = []
    sql = ["sql", "--no-init", "--state-dir", braid.state, "-D", "execution.runtime-mode=batch", "-e"]
    count("count", 10, *sql, braid.catalog() + "SELECT COUNT(*) FROM d.a;")
    count("select", 11, *sql, braid.catalog() + "SELECT * FROM d.a;")
    count("show tables", 5, *sql, braid.catalog() + "SHOW TABLES FROM d;")
    count("insert", 21, *sql, braid.catalog() + insert("d.a", [(2, "two")]))
    count("upsert", 23, *sql, braid.catalog() + insert("d.k", [(2, "two")]))
    count("log", 6, "log", braid.warehouse, "d.a")
    count("read", 9, "read", braid.warehouse, "d.a")
    far.shutdown()
    expect(not failures, "; ".join(failures))


SCENARIOS = [overlap, round_trips]
