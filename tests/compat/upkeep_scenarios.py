"""Scenarios of run_oracle about sorted compaction and the repair of tables; a model here says what rows to expect."""

import http.server
import json
import random
import threading

from row_model import Failure
from sql_scenarios import values

POINT = ["p", "x", "y", "s"]


def point_rows(model):
    return [list(row) for row in sorted(model, key=str)]


def scenario_sorted_compaction(warehouse):
    """Braid sorts an append table that both write to; Java reads the rows, of older snapshots too, and goes on."""
    chance = random.Random(11)

    def some(count):
        return [
            (chance.randrange(2), chance.randrange(-50, 50), chance.randrange(1000), chance.choice([None, "a", "bcd"]))
            for _ in range(count)
        ]

    for vectors in ("false", "true"):
        for tracks in ("false", "true"):
            name = f"d.points_{vectors}_{tracks}"
            model = some(300)
            warehouse.sql(
                "CREATE DATABASE IF NOT EXISTS d",
                f"CREATE TABLE {name} (p INT, x INT, y INT, s STRING) PARTITIONED BY (p) WITH ("
                f"'deletion-vectors.enabled' = '{vectors}', 'row-tracking.enabled' = '{tracks}')",
                f"INSERT INTO {name} VALUES {values(model)}",
            )
            more = some(200)
            warehouse.java({"op": "write", "table": name, "rows": [list(row) for row in more]})
            model += more
            before = list(model)
            warehouse.sql(f"DELETE FROM {name} WHERE x > 30")
            model = [row for row in model if row[1] <= 30]
            for strategy, columns in (("zorder", "x,y"), ("hilbert", "x,y,s"), ("order", "s,x")):
                warehouse.sql(
                    f"CALL sys.compact(`table` => '{name}', order_strategy => '{strategy}', order_by => '{columns}')"
                )
                warehouse.expect_rows(name, POINT, point_rows(model))
                warehouse.expect_rows(name, POINT, point_rows(before), reading=["--option", "scan.snapshot-id=2"])
                more = some(20)
                warehouse.java({"op": "write", "table": name, "rows": [list(row) for row in more]})
                model += more
            warehouse.sql(f"CALL sys.compact(`table` => '{name}', partitions => 'p=1', order_strategy => 'order', order_by => 'y')")
            warehouse.java({"op": "compact", "table": name}, {"op": "expire_snapshots", "table": name, "retain_max": 1})
            warehouse.expect_rows(name, POINT, point_rows(model))
            snapshots = len(list((warehouse.root / "d.db" / name[2:] / "snapshot").glob("snapshot-*")))
            if snapshots != 1:
                raise Failure(f"{name} has {snapshots} snapshots")


def scenario_done_partitions(warehouse):
    """Both programs tell a server of partitions that are done; what Java refuses in a catalog of folders."""
    told = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            answer = b'{"result": "SUCCESS"}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        name = "d.done"
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, dt STRING, h INT) PARTITIONED BY (dt, h) WITH ("
            "'partition.mark-done-action' = 'http-report,success-file', 'partition.mark-done-action.http.params' = 'a=b', "
            f"'partition.mark-done-action.http.url' = 'http://127.0.0.1:{server.server_port}/')",
            f"INSERT INTO {name} VALUES (1, 'x/y', 1)",
        )
        warehouse.java({"op": "mark_done", "table": name, "partitions": ["dt=x%2Fy/h=1/"]})
        warehouse.run_braid("table", "mark-done", warehouse.root, name, "--partition", "dt=x/y,h=1")
        server.shutdown()
    for report in told:
        report["path"] = report["path"].removeprefix("file:")
    if len(told) != 2 or told[0] != told[1]:
        raise Failure(f"Java and Braid say {told}")
    for options, error in (
        ({"partition.mark-done-action": "done-partition"}, "without metastore"),
        ({"partition.mark-done-action": "mark-event"}, "Table should enable metastore.partitioned-table"),
        ({"partition.mark-done-action": "mark-event", "metastore.partitioned-table": "true"}, None),
    ):
        step = {"op": "mark_done", "table": name, "partitions": ["dt=x%2Fy/h=1/"], "options": options}
        warehouse.java(step if error is None else {**step, "expect_error": error})


def scenario_missing_manifests(warehouse):
    """Manifests are lost behind the back of a table of each kind; Java reads and writes what Braid leaves."""
    for name, key in (("d.log", ""), ("d.state", ", PRIMARY KEY (k) NOT ENFORCED")):
        options = "WITH ('bucket' = '1')" if key else ""
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, v STRING{key}) {options}",
            f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')",
        )
        folder = warehouse.root / "d.db" / name[2:] / "manifest"
        known = set(folder.glob("manifest-*"))
        warehouse.sql(f"INSERT INTO {name} VALUES (3, 'lost')")
        lost = [path for path in set(folder.glob("manifest-*")) - known if not path.name.startswith("manifest-list-")]
        if len(lost) != 1:
            raise Failure(f"{name}: an insert wrote {len(lost)} manifests")
        warehouse.sql(f"INSERT INTO {name} VALUES (4, 'd')")
        lost[0].unlink()
        warehouse.sql(f"CALL sys.remove_unexisting_manifests(tableId => '{name}')")
        rows = {1: [1, "a"], 2: [2, "b"], 4: [4, "d"]}
        warehouse.expect_rows(name, ["k", "v"], list(rows.values()))
        warehouse.java({"op": "write", "table": name, "rows": [[5, "e"]]}, {"op": "compact", "table": name})
        rows[5] = [5, "e"]
        warehouse.expect_rows(name, ["k", "v"], list(rows.values()))


def scenario_file_indexes(warehouse):
    """Braid gives files of both programs indexes; Java filters by them, writes more and compacts."""
    for name, key in (("d.events", ""), ("d.users", ", PRIMARY KEY (k) NOT ENFORCED")):
        options = "WITH ('bucket' = '1')" if key else ""
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, v STRING{key}) {options}",
            f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')",
        )
        warehouse.java({"op": "write", "table": name, "rows": [[3, "c"], [4, "a"]]})
        rows = {1: [1, "a"], 2: [2, "b"], 3: [3, "c"], 4: [4, "a"]}
        for kinds in (("bitmap", "bloom-filter"), ("bloom-filter", "bsi")):
            warehouse.sql(
                f"ALTER TABLE {name} RESET ('file-index.bitmap.columns', 'file-index.bsi.columns')",
                f"ALTER TABLE {name} SET ('file-index.{kinds[0]}.columns' = 'v', 'file-index.{kinds[1]}.columns' = 'k')",
                f"CALL sys.rewrite_file_index(`table` => '{name}')",
            )
            warehouse.expect_rows(name, ["k", "v"], list(rows.values()))
            for value in ("a", "b", "aa"):
                found = [row for row in rows.values() if row[1] == value]
                warehouse.expect_rows(name, ["k", "v"], found, reading=["--filter", f"v = '{value}'"])
            number = len(rows) + 1
            warehouse.java({"op": "write", "table": name, "rows": [[number, "a"]]})
            rows[number] = [number, "a"]
        warehouse.java({"op": "compact", "table": name}, {"op": "expire_snapshots", "table": name, "retain_max": 1})
        warehouse.expect_rows(name, ["k", "v"], list(rows.values()))


def scenario_purge(warehouse):
    """Braid purges a table with tags and branches of Java; Java writes to what is left."""
    name = "d.purged"
    warehouse.sql(
        "CREATE DATABASE IF NOT EXISTS d",
        f"CREATE TABLE {name} (k INT, v STRING)",
        f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')",
    )
    warehouse.java(
        {"op": "create_tag", "table": name, "tag": "t"},
        {"op": "create_branch", "table": name, "name": "b", "tag": "t"},
        {"op": "write", "table": name, "rows": [[3, "c"]]},
    )
    warehouse.sql(f"CALL sys.purge_files(`table` => '{name}')")
    warehouse.expect_rows(name, ["k", "v"], [])
    left = [path for path in (warehouse.root / "d.db/purged").rglob("data-*")]
    if left:
        raise Failure(f"files are left: {left}")
    warehouse.java({"op": "write", "table": name, "rows": [[4, "d"]]})
    warehouse.expect_rows(name, ["k", "v"], [[4, "d"]])


def scenarios():
    return {name[len("scenario_") :]: function for name, function in globals().items() if name.startswith("scenario_")}
