"""How much requests overlap: a table of many files behind a store that takes its time for every request."""

import time

import proxy
from bucket import expect, insert, rows

DELAY_S = 0.02
FILES, COMMITS, PARTITIONS = 400, 20, 20


def overlap(braid):
    """Planning, scanning and committing take a few round trips, not one for each file."""
    braid.sql("""CREATE DATABASE d;
                 CREATE TABLE d.many (part INT, id INT, text STRING) PARTITIONED BY (part) WITH ('write-only' = 'true');
                 CREATE TABLE d.wide (part INT, k INT, v STRING, PRIMARY KEY (part, k) NOT ENFORCED) PARTITIONED BY (part)
                   WITH ('bucket' = '1', 'write-only' = 'true');""")
    for table in ("d.many", "d.wide"):
        braid.sql("".join(insert(table, [(part, commit, f"{part}-{commit}") for part in range(PARTITIONS)]) for commit in range(COMMITS)))
    all_rows = rows((part, commit, f"{part}-{commit}") for part in range(PARTITIONS) for commit in range(COMMITS))
    far = proxy.forward(braid.server.endpoint, delay_s=DELAY_S)
    through = {"AWS_ENDPOINT_URL": far.endpoint}
    said = []

    def measure(name, limit, *words):
        """At most `limit` round trips, of which the sequential ones take DELAY_S each."""
        del far.requests[:]
        far.most_running = 0
        times = []
        for delay in (0.0, DELAY_S):
            far.delay_s = delay
            start = time.monotonic()
            done = braid.run(*words, **through)
            times.append(time.monotonic() - start)
        count, trips = len(far.requests) // 2, (times[1] - times[0]) / DELAY_S
        said.append(f"{name}: {count} requests, {trips:.0f} round trips, {times[0] * 1000:.0f} → {times[1] * 1000:.0f} ms, {far.most_running} at once")
        print("  " + said[-1], flush=True)
        return done

    for table in ("d.many", "d.wide"):
        measure(f"plan of {table}", 10, "files", braid.warehouse, table)
        done = measure(f"scan of {table}", 20, "read", braid.warehouse, table)
        expect(braid.rows_of(done) == all_rows, f"rows of {table}")
    sql = ["sql", "--no-init", "--state-dir", braid.state, "-D", "execution.runtime-mode=batch", "-e"]
    measure("count by SQL", 20, *sql, braid.catalog() + "SELECT COUNT(*) FROM d.many;")
    measure("one row by SQL", 20, *sql, braid.catalog() + "SELECT * FROM d.wide WHERE part = 3 AND k = 4;")
    measure("commit to d.many", 20, *sql, braid.catalog() + insert("d.many", [(0, 0, "again")]))
    measure("commit to each partition", 20, *sql, braid.catalog() + insert("d.wide", [(part, 0, "again") for part in range(PARTITIONS)]))
    measure("compaction", 20, *sql, braid.catalog() + "CALL sys.compact(`table` => 'd.wide', compact_strategy => 'full');")
    measure("expiry", 20, "table", "expire", braid.warehouse, "d.wide", "--retain-max", "5", "--retain-min", "5", "--older-than", "2100-01-01 00:00:00")
    measure("check", 20, "table", "check", braid.warehouse, "d.many")
    far.shutdown()


SCENARIOS = [overlap]
