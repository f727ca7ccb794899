"""Scenarios of run_oracle about incremental clustering: Java and Braid choose and sort the same files."""

import collections
import json
import random
import shutil

from row_model import Failure
from sql_scenarios import values

POINT = ["p", "x", "y"]


def rows_of(model):
    return [list(row) for row in sorted(model)]


def read(warehouse, *words):
    """The rows that Java reads."""
    return [json.loads(line)["row"] for line in warehouse.oracle.run("read", warehouse.root, *words)]


def layout(warehouse, name):
    """How many files and rows each level of each partition and bucket has, as Java tells it."""
    found = collections.defaultdict(lambda: [0, 0])
    for file in read(warehouse, f"{name}$files"):
        of_level = found[file["partition"], file["bucket"], file["level"]]
        of_level[0] += 1
        of_level[1] += file["record_count"]
    return dict(found)


def compact_both(warehouse, name, full, step_options=None, partitions=None):
    """Java compacts a copy of the table, Braid the table; both must choose alike. Returns whether there was anything to do."""
    folder = warehouse.root / "d.db" / name[2:]
    twin = folder.with_name(folder.name + "_twin")
    shutil.copytree(folder, twin)
    before = layout(warehouse, name)
    step = {"op": "compact", "table": f"{name}_twin", "full": full, "options": step_options or {}}
    chosen = f"compact_strategy => '{'full' if full else 'minor'}'"
    if partitions is not None:
        step["partitions"] = [{"p": str(p)} for p in partitions]
        chosen += f", partitions => '{';'.join(f'p={p}' for p in partitions)}'"
    warehouse.java(step)
    warehouse.sql(f"CALL sys.compact(`table` => '{name}', {chosen})")
    java, braid = layout(warehouse, f"{name}_twin"), layout(warehouse, name)
    if java != braid:
        raise Failure(f"{name}, {chosen}: from {before} Java makes {java}, Braid {braid}")
    return java != before


def go_on_with_twin(warehouse, name):
    folder = warehouse.root / "d.db" / name[2:]
    shutil.rmtree(folder)
    folder.with_name(folder.name + "_twin").rename(folder)


def drop_twin(warehouse, name):
    shutil.rmtree(warehouse.root / "d.db" / f"{name[2:]}_twin")


def play(warehouse, name, model, chance, steps, step_options=None, deletes=True):
    """Both write, delete and compact in turns; now the one's compaction is gone on with, now the other's."""
    compactions = collections.Counter()
    for number in range(steps):
        count = chance.choice([1, 1, 1, 2, 40, 400])
        rows = [(p, chance.randrange(-1000, 1000), chance.randrange(1000)) for p in range(2) for _ in range(count)]
        if number % 2:
            warehouse.java({"op": "write", "table": name, "rows": [list(row) for row in rows]})
        else:
            warehouse.sql(f"INSERT INTO {name} VALUES {values(rows)}")
        model += rows
        if deletes and number % 5 == 4:
            x = chance.choice(model)[1]
            warehouse.sql(f"DELETE FROM {name} WHERE x = {x}")
            model[:] = [row for row in model if row[1] != x]
        full = number % 9 == 8
        partitions = [chance.randrange(2)] if step_options is None and number % 4 == 3 else None
        compactions[full] += compact_both(warehouse, name, full, step_options, partitions)
        for table in (name, f"{name}_twin"):
            warehouse.expect_rows(table, POINT, rows_of(model))
        if chance.random() < 0.5:
            go_on_with_twin(warehouse, name)
        else:
            drop_twin(warehouse, name)
    if not compactions[True] or compactions[False] < 2:
        raise Failure(f"{name}: only {dict(compactions)} compactions had anything to do")


def expect_same_order(warehouse, name, columns):
    """All sorted by each of the two, the rows lie in the same order, as far as these columns tell."""
    warehouse.sql(f"INSERT INTO {name} VALUES (0, 5, 5), (1, 5, 5)")
    compact_both(warehouse, name, True)
    for p in range(2):
        words = ["--unsorted", "--projection", columns, "--filter", f"p = {p}"]
        java, braid = read(warehouse, f"{name}_twin", *words), read(warehouse, name, *words)
        if java != braid:
            raise Failure(f"{name}: rows of p={p} are in another order than Java's")
    drop_twin(warehouse, name)


def scenario_incremental_clustering(warehouse):
    """Java and Braid write, delete and cluster in turns: the levels are the same, and the rows those of a model."""
    chance = random.Random(17)
    cases = [
        ("zorder", {"clustering.columns": "x,y"}),
        ("by_order", {"clustering.columns": "y", "deletion-vectors.enabled": "true"}),
        ("hilbert", {"clustering.columns": "x,y", "clustering.strategy": "hilbert", "num-sorted-run.compaction-trigger": "3"}),
        ("tracked", {"clustering.columns": "x", "row-tracking.enabled": "true", "compaction.size-ratio": "30"}),
    ]
    warehouse.sql("CREATE DATABASE IF NOT EXISTS d")
    for case, options in cases:
        name = f"d.{case}"
        options = {"clustering.incremental": "true", "num-levels": "4", **options}
        settings = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
        warehouse.sql(f"CREATE TABLE {name} (p INT, x INT, y INT) PARTITIONED BY (p) WITH ({settings})")
        play(warehouse, name, [], chance, 20)
        if case != "hilbert":  # Java's curve does not keep the order of negative numbers
            expect_same_order(warehouse, name, options["clustering.columns"])


def scenario_clustering_of_old_partitions(warehouse):
    """Partitions that nobody writes to any more are sorted whole beside the chosen one."""
    name = "d.aged"
    warehouse.sql(
        "CREATE DATABASE IF NOT EXISTS d",
        f"CREATE TABLE {name} (p INT, x INT, y INT) PARTITIONED BY (p) WITH ('clustering.incremental' = 'true', "
        "'clustering.columns' = 'y', 'clustering.history-partition.idle-to-full-sort' = '10 s')",
    )
    model = [(p, x, x * 7 % 11) for p in range(3) for x in range(10)]
    warehouse.sql(f"INSERT INTO {name} VALUES {values(model)}")
    warehouse.java({"op": "write", "table": name, "rows": [[2, 0, 0]]}, {"op": "sleep", "millis": 11000})
    late = [(2, 1, 1), (3, 2, 2)]
    warehouse.sql(f"INSERT INTO {name} VALUES {values(late)}")
    model += [(2, 0, 0), *late]
    if not compact_both(warehouse, name, False, partitions=[3]):
        raise Failure("nothing was sorted")
    levels = {(partition, level) for partition, _, level in layout(warehouse, name)}
    if levels != {("{0}", 5), ("{1}", 5), ("{2}", 0), ("{3}", 0)}:
        raise Failure(f"levels are {levels}")
    go_on_with_twin(warehouse, name)
    warehouse.expect_rows(name, POINT, rows_of(model))


def scenario_clustered_buckets(warehouse):
    """The same within the buckets of a table whose buckets have no order."""
    name = "d.bucketed"
    warehouse.sql(
        "CREATE DATABASE IF NOT EXISTS d",
        f"CREATE TABLE {name} (p INT, x INT, y INT) PARTITIONED BY (p) WITH ('bucket' = '2', 'bucket-key' = 'x', "
        "'bucket-append-ordered' = 'false', 'clustering.incremental' = 'true', 'clustering.columns' = 'y', 'write-only' = 'true')",
    )
    chance = random.Random(19)
    model = []
    for _ in range(2):
        # Files of a level 0 have no order in Java, so they are all alike here.
        for number in range(5):
            rows = [(p, x, chance.randrange(1000)) for p in range(2) for x in range(50)]
            if number % 2:
                warehouse.java({"op": "write", "table": name, "rows": [list(row) for row in rows]})
            else:
                warehouse.sql(f"INSERT INTO {name} VALUES {values(rows)}")
            model += rows
        for full in (False, True):
            compact_both(warehouse, name, full, {"write-only": "false"})
            for table in (name, f"{name}_twin"):
                warehouse.expect_rows(table, POINT, rows_of(model))
            if full:
                go_on_with_twin(warehouse, name)
            else:
                drop_twin(warehouse, name)


def scenarios():
    return {name[len("scenario_") :]: function for name, function in globals().items() if name.startswith("scenario_")}
