"""Scenarios of run_oracle that write through `braid sql`: Java verifies the rows, goes on, and both read again."""

import collections
import json
import re

from row_model import Failure, key_rows, upsert


def values(rows):
    """Rows of integers and texts as the list behind VALUES."""
    def one(value):
        if value is None:
            return "CAST(NULL AS STRING)"
        return f"'{value}'" if isinstance(value, str) else str(value)

    return ", ".join(f"({', '.join(map(one, row))})" for row in rows)


def scenario_sql_story(warehouse):
    """The tables of `braid demo`: Java verifies, writes, compacts, tags and expires them, and the story's job goes on."""
    texts = [warehouse.folder / "one.txt", warehouse.folder / "two.txt"]
    texts[0].write_text("To be, or not to be: that is the question.\nWhether 'tis nobler in the mind to suffer\n" * 40)
    texts[1].write_text("The slings and arrows of outrageous fortune,\nOr to take arms against a sea of troubles\n" * 60)
    warehouse.run_braid("demo", "--dir", warehouse.folder, *[w for text in texts for w in ("--text", text)])
    words = [word.lower() for text in texts for word in re.findall("[A-Za-z]+", text.read_text())]
    # The demo cuts the text into eight pages and loads three of them in batch.
    one_page, three_pages = len(words) // 8, len(words) * 3 // 8

    def counts(of, **changed):
        return [list(item) for item in {**collections.Counter(of), **changed}.items()]

    warehouse.expect_rows("default.word_table", ["word"], [[word] for word in words])
    first = ["--option", "scan.snapshot-id=1"]
    warehouse.expect_rows("default.word_table", ["word"], [[word] for word in words[:one_page]], reading=first)
    warehouse.expect_rows("default.word_count_table", ["word", "cnt"], counts(words[:one_page]), reading=first)
    warehouse.expect_rows("default.word_count_table", ["word", "cnt"], counts(words))
    warehouse.expect_rows("default.debug_word_count_table", ["word", "cnt"], counts(words[:three_pages]))

    more = ["heartache", "the", "the"]
    warehouse.java(
        {"op": "create_tag", "table": "default.word_count_table", "tag": "story"},
        {"op": "write", "table": "default.word_table", "rows": [[word] for word in more]},
        {"op": "compact", "table": "default.word_table"},
        {"op": "write", "table": "default.word_count_table", "rows": [["braid", 1], ["-D", "heartache", 0]]},
        {"op": "compact", "table": "default.word_count_table"},
        {"op": "expire_snapshots", "table": "default.word_table", "retain_max": 1},
        {"op": "expire_snapshots", "table": "default.word_count_table", "retain_max": 1},
    )
    tagged = ["--option", "scan.tag-name=story"]
    warehouse.expect_rows("default.word_count_table", ["word", "cnt"], counts(words), reading=tagged)
    warehouse.expect_rows("default.word_count_table", ["word", "cnt"], counts(words, braid=1))
    # The catalog still records lineage: its options are kept in the warehouse.
    warehouse.sql(
        "SET 'pipeline.name' = 'job1'",
        "INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word",
    )
    warehouse.expect_rows("default.word_table", ["word"], [[word] for word in words + more])
    warehouse.expect_rows("default.word_count_table", ["word", "cnt"], counts(words + more, braid=1))
    warehouse.expect_rows("default.word_count_table", ["word", "cnt"], counts(words), reading=tagged)
    # Both tables were compacted before the job ran, so it read the newest snapshot of the words.
    words_folder = warehouse.root / "default.db/word_table/snapshot"
    newest = max(int(path.name.split("-")[1]) for path in words_folder.glob("snapshot-*"))
    for rebuild in (False, True):
        if rebuild:
            warehouse.run_braid("lineage", "rebuild", warehouse.root)
        read = warehouse.sql(
            "SELECT to_snapshot FROM paimon.snapshot_ranges WHERE job = 'job1' AND source_table = 'default.word_table'"
        )
        if newest not in [json.loads(line)["to_snapshot"] for line in read]:
            raise Failure(f"no lineage of job1 from snapshot {newest} of the words: {read}")


# Columns of every type that SQL can write, with two rows of values: SQL, and as the oracle prints them.
EVERY_TYPE = [
    ("b", "BOOLEAN", ("TRUE", True), ("FALSE", False)),
    ("i8", "TINYINT", ("CAST(127 AS TINYINT)", 127), ("CAST(-128 AS TINYINT)", -128)),
    ("i16", "SMALLINT", ("CAST(32767 AS SMALLINT)", 32767), ("CAST(-32768 AS SMALLINT)", -32768)),
    ("i32", "INT", ("2147483647", 2**31 - 1), ("CAST(-2147483648 AS INT)", -(2**31))),
    ("i64", "BIGINT", ("9223372036854775807", 2**63 - 1), ("CAST('-9223372036854775808' AS BIGINT)", -(2**63))),
    ("f", "FLOAT", ("CAST(1.5 AS FLOAT)", 1.5), ("CAST('-0.25' AS FLOAT)", -0.25)),
    ("d", "DOUBLE", ("1.7976931348623157E308", 1.7976931348623157e308), ("CAST('-1E22' AS DOUBLE)", -1e22)),
    ("d5", "DECIMAL(5, 2)", ("999.99", "999.99"), ("-0.01", "-0.01")),
    ("d18", "DECIMAL(18, 6)", ("123456789012.345678", "123456789012.345678"), ("0", "0.000000")),
    (
        "d38",
        "DECIMAL(38, 10)",
        ("CAST('9999999999999999999999999999.9999999999' AS DECIMAL(38, 10))", "9999999999999999999999999999.9999999999"),
        ("CAST('-0.0000000001' AS DECIMAL(38, 10))", "-0.0000000001"),
    ),
    ("c", "CHAR(4)", ("'abcd'", "abcd"), ("'wxyz'", "wxyz")),
    ("vc", "VARCHAR(20)", ("'it''s \"quoted\" \\'", "it's \"quoted\" \\"), ("''", "")),
    ("s", "STRING", ("'ä 中 🐟'", "ä 中 🐟"), ("U&'\\0009tab'", "\ttab")),
    ("bi", "BINARY(3)", ("x'00ff10'", "00ff10"), ("x'010203'", "010203")),
    ("vb", "VARBINARY(10)", ("x'0102'", "0102"), ("x'ff00'", "ff00")),
    ("by", "BYTES", ("x'deadbeef'", "deadbeef"), ("x'00000000'", "00000000")),
    ("dt", "DATE", ("DATE '9999-12-31'", "9999-12-31"), ("DATE '0001-01-01'", "0001-01-01")),
    ("t0", "TIME", ("TIME '23:59:59'", "23:59:59"), ("TIME '00:00:00'", "00:00:00")),
    (
        "ts0",
        "TIMESTAMP(0)",
        ("TIMESTAMP '2024-02-29 12:34:56'", "2024-02-29T12:34:56"),
        ("TIMESTAMP '1969-12-31 23:59:59'", "1969-12-31T23:59:59"),
    ),
    (
        "ts3",
        "TIMESTAMP(3)",
        ("TIMESTAMP '2024-02-29 12:34:56.789'", "2024-02-29T12:34:56.789"),
        ("TIMESTAMP '1582-10-15 00:00:00.001'", "1582-10-15T00:00:00.001"),
    ),
    (
        "ts6",
        "TIMESTAMP(6)",
        ("TIMESTAMP '2024-02-29 12:34:56.789012'", "2024-02-29T12:34:56.789012"),
        ("TIMESTAMP '1969-12-31 23:59:59.999999'", "1969-12-31T23:59:59.999999"),
    ),
    (
        "ts9",
        "TIMESTAMP(9)",
        ("TIMESTAMP '2024-02-29 12:34:56.789012345'", "2024-02-29T12:34:56.789012345"),
        ("TIMESTAMP '1969-12-31 23:59:59.999999999'", "1969-12-31T23:59:59.999999999"),
    ),
    (
        "tz3",
        "TIMESTAMP_LTZ(3)",
        ("CAST(TIMESTAMP '2024-02-29 12:34:56.789' AS TIMESTAMP_LTZ(3))", "2024-02-29T12:34:56.789Z"),
        ("TO_TIMESTAMP_LTZ(-1, 3)", "1969-12-31T23:59:59.999Z"),
    ),
    (
        "tz6",
        "TIMESTAMP_LTZ(6)",
        ("CAST(TIMESTAMP '2024-02-29 12:34:56.789012' AS TIMESTAMP_LTZ(6))", "2024-02-29T12:34:56.789012Z"),
        ("CAST(TIMESTAMP '1969-12-31 23:59:59.999999' AS TIMESTAMP_LTZ(6))", "1969-12-31T23:59:59.999999Z"),
    ),
    ("a", "ARRAY<INT>", ("ARRAY[1, CAST(NULL AS INT), 3]", [1, None, 3]), ("ARRAY[0]", [0])),
    (
        "m",
        "MAP<STRING, BIGINT>",
        ("MAP['a', CAST(1 AS BIGINT), 'b', CAST(NULL AS BIGINT)]", [["a", 1], ["b", None]]),
        ("MAP['c', CAST(2 AS BIGINT)]", [["c", 2]]),
    ),
    (
        "r",
        "ROW<x INT, y ROW<z STRING>>",
        ("ROW(1, ROW('deep'))", {"x": 1, "y": {"z": "deep"}}),
        ("ROW(2, ROW(CAST(NULL AS STRING)))", {"x": 2, "y": {"z": None}}),
    ),
    (
        "ar",
        "ARRAY<ROW<p INT, q STRING>>",
        ("ARRAY[ROW(1, 'x'), ROW(2, 'y')]", [{"p": 1, "q": "x"}, {"p": 2, "q": "y"}]),
        ("ARRAY[ROW(3, 'z')]", [{"p": 3, "q": "z"}]),
    ),
]


def a_second_earlier(value):
    """The text of a literal or of a row, with what has a fraction of the last second before 1970 one second earlier."""
    if not isinstance(value, str):
        return value
    return value.replace("31 23:59:59.", "31 23:59:58.").replace("31T23:59:59.", "31T23:59:58.").replace("LTZ(-1,", "LTZ(-1001,")


def scenario_sql_types(warehouse):
    """Every type, by VALUES and by INSERT … SELECT, into append and key tables of the three formats."""
    for number, file_format in enumerate(("parquet", "avro", "orc")):
        # Avro knows no nanoseconds; ORC cannot hold the last second before 1970.
        types = [kind for kind in EVERY_TYPE if file_format != "avro" or kind[0] != "ts9"]
        if file_format == "orc":
            types = [(*kind[:3], tuple(map(a_second_earlier, kind[3]))) for kind in types]
        sides = (1, 2)
        columns = ["k", *[name for name, *_ in types]]
        definitions = ", ".join(f"`{name}` {kind}" for name, kind, *_ in types)
        inserts = [f"({side}, {', '.join(column[1 + side][0] for column in types)})" for side in sides]
        inserts.append(f"(3, {', '.join(f'CAST(NULL AS {kind})' for _, kind, *_ in types)})")
        nulls = [None] * len(types)
        rows = [[side, *[column[1 + side][1] for column in types]] for side in sides] + [[3, *nulls]]
        options = f"WITH ('file.format' = '{file_format}')"
        log, key = f"log{number}", f"key{number}"
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            "USE d",
            f"CREATE TABLE {log} (k INT, {definitions}) {options}",
            f"CREATE TABLE {key} (k INT PRIMARY KEY NOT ENFORCED, {definitions}) {options}",
            *[f"INSERT INTO {log} VALUES {row}" for row in inserts],
            f"INSERT INTO {key} SELECT * FROM {log}",
            f"INSERT INTO {key} SELECT * FROM {log} WHERE k < 3",
        )
        warehouse.expect_rows(f"d.{log}", columns, rows)
        warehouse.expect_rows(f"d.{key}", columns, rows)
        warehouse.java(
            {"op": "compact", "table": f"d.{key}"},
            {"op": "write", "table": f"d.{log}", "rows": [[4, *nulls]]},
            {"op": "write", "table": f"d.{key}", "rows": [[3, True, *nulls[1:]]]},
        )
        warehouse.sql("USE d", f"INSERT INTO {key} SELECT * FROM {log} WHERE k = 4", f"CALL sys.compact('d.{key}')")
        warehouse.expect_rows(f"d.{key}", columns, [*rows[:-1], [3, True, *nulls[1:]], [4, *nulls]])


def scenario_sql_key_tables(warehouse):
    """Upserts, static and dynamic overwrites of key tables with dynamic and fixed buckets; branches and tags of Java."""
    columns = ["k", "p", "v", "n"]
    for table, bucket in (
        ("hashed", "'bucket' = '-1', 'dynamic-bucket.target-row-num' = '7'"),
        ("fixed", "'bucket' = '3'"),
        ("leveled", "'bucket' = '1', 'num-sorted-run.compaction-trigger' = '2', 'sequence.field' = 'n'"),
    ):
        name = f"d.{table}"
        first = [[i, f"p{i % 3}", f"first {i}", i] for i in range(60)]
        model = {}
        upsert(model, first)
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, p STRING, v STRING, n BIGINT, PRIMARY KEY (p, k) NOT ENFORCED) "
            f"PARTITIONED BY (p) WITH ({bucket})",
            f"INSERT INTO {name} VALUES {values(first)}",
            f"INSERT INTO {name} SELECT k, p, 'second', n + 100 FROM {name} WHERE MOD(k, 2) = 0",
        )
        upsert(model, [[k, p, "second", n + 100] for k, p, _, n in first if k % 2 == 0])
        warehouse.expect_rows(name, columns, key_rows(model))
        at_second = key_rows(model)

        warehouse.java(
            {"op": "create_tag", "table": name, "tag": "second"},
            {"op": "create_branch", "table": name, "name": "b", "tag": "second"},
            {"op": "write", "table": name, "rows": [["-D", 3, "p0", "", 1000], [61, "p1", "java", 1000]]},
            {"op": "compact", "table": name},
            {"op": "expire_snapshots", "table": name, "retain_max": 1},
        )
        upsert(model, [["-D", 3], [61, "p1", "java", 1000]])
        branch = {row[0]: row for row in at_second}
        # p1 is replaced as the statement names it; of the others p2 alone, since only p2 gets rows.
        warehouse.sql(
            f"INSERT OVERWRITE {name} PARTITION (p = 'p1') SELECT k, 'static', n FROM {name} WHERE p = 'p1' AND k < 30",
            f"INSERT OVERWRITE {name} SELECT k, p, 'dynamic', n FROM {name} WHERE p = 'p2' AND k < 30",
            f"INSERT INTO d.`{table}$branch_b` VALUES (1, 'p1', 'on branch', 5000), (1000, 'p3', 'new', 1)",
            f"CALL sys.compact(`table` => '{name}$branch_b')",
        )
        model = {k: [k, p, {"p1": "static", "p2": "dynamic"}.get(p, v), n] for k, (_, p, v, n) in model.items() if p == "p0" or k < 30}
        upsert(branch, [[1, "p1", "on branch", 5000], [1000, "p3", "new", 1]])
        warehouse.expect_rows(name, columns, key_rows(model))
        warehouse.expect_rows(f"{name}$branch_b", columns, key_rows(branch))
        warehouse.expect_rows(name, columns, at_second, reading=["--option", "scan.tag-name=second"])

        warehouse.java(
            {"op": "write", "table": name, "branch": "b", "rows": [["-D", 1, "p1", "", 6000]]},
            {"op": "write", "table": name, "rows": [[0, "p0", "java again", 9000]]},
        )
        warehouse.sql(
            f"INSERT INTO {name} SELECT k + 2000, p, v, n FROM d.`{table}$branch_b` WHERE k >= 1000",
            f"CALL sys.compact(`table` => '{name}')",
            f"CALL sys.compact(`table` => '{name}', compact_strategy => 'minor', `where` => 'p = ''p0''')",
        )
        upsert(branch, [["-D", 1]])
        upsert(model, [[0, "p0", "java again", 9000], [3000, "p3", "new", 1]])
        warehouse.expect_rows(name, columns, key_rows(model))
        warehouse.expect_rows(f"{name}$branch_b", columns, key_rows(branch))
        warehouse.expect_rows(name, columns, [r for r in key_rows(model) if r[1] == "p0"], reading=["--filter", "p = 'p0'"])


def scenario_sql_append_tables(warehouse):
    """Append tables without and with buckets, partitioned by two columns; statement sets, CTAS, LIKE, dropped partitions."""
    columns = ["id", "day", "hour", "text"]
    rows = [[i, f"2024-01-0{1 + i % 3}", i % 2, f"line {i}"] for i in range(60)]

    def insert(table, some):
        lines = ", ".join(f"({i}, DATE '{day}', {hour}, '{text}')" for i, day, hour, text in some)
        return f"INSERT INTO {table} VALUES {lines}"

    body = "(id BIGINT, `day` DATE, `hour` INT, text STRING) PARTITIONED BY (`day`, `hour`)"
    warehouse.sql(
        "CREATE DATABASE d",
        "USE d",
        f"CREATE TABLE loose {body} WITH ('bucket' = '-1')",
        f"CREATE TABLE bucketed {body} WITH ('bucket' = '2', 'bucket-key' = 'id')",
        "CREATE TABLE alike LIKE bucketed",
        insert("loose", rows[:20]),
        insert("loose", rows[20:40]),
        "EXECUTE STATEMENT SET BEGIN INSERT INTO bucketed SELECT * FROM loose; "
        "INSERT INTO alike SELECT id + 1000, `day`, `hour`, UPPER(text) FROM loose WHERE id < 10; END",
        insert("loose", rows[40:]),
        "CALL sys.compact(`table` => 'd.loose')",
        "CREATE TABLE copied WITH ('file.format' = 'avro') AS SELECT id, text FROM loose WHERE `hour` = 1",
    )
    warehouse.expect_rows("d.loose", columns, rows)
    warehouse.expect_rows("d.bucketed", columns, rows[:40])
    warehouse.expect_rows("d.alike", columns, [[i + 1000, day, hour, text.upper()] for i, day, hour, text in rows[:10]])
    warehouse.expect_rows("d.copied", ["id", "text"], [[i, text] for i, _, hour, text in rows if hour == 1])

    late = [[100 + i, "2024-01-04", i % 2, f"java {i}"] for i in range(10)]
    for table in ("loose", "bucketed"):
        warehouse.java(
            {"op": "create_tag", "table": f"d.{table}", "tag": "before"},
            {"op": "write", "table": f"d.{table}", "rows": late},
            {"op": "compact", "table": f"d.{table}"},
        )
        warehouse.sql(
            "USE d",
            f"ALTER TABLE {table} DROP PARTITION (`day` = '2024-01-01', `hour` = 0), PARTITION (`day` = '2024-01-02')",
            f"INSERT OVERWRITE {table} PARTITION (`day` = '2024-01-03') VALUES (7, 7, 'seven')",
            f"INSERT OVERWRITE {table} PARTITION (`day` = '2024-01-04', `hour` = 1) SELECT id, text FROM {table} "
            "WHERE `day` = '2024-01-04' AND `hour` = 1 AND id < 105",
            f"INSERT INTO {table} PARTITION (`day` = '2024-01-05') (`hour`, id) VALUES (3, 9)",
        )
    for table, old in (("loose", rows), ("bucketed", rows[:40])):
        # Overwriting the day alone replaces, dynamically, the hours that get rows: there was no hour 7.
        left = [r for r in old if (r[1], r[2]) != ("2024-01-01", 0) and r[1] != "2024-01-02"]
        left += [[7, "2024-01-03", 7, "seven"], [9, "2024-01-05", 3, None]]
        left += [r for r in late if r[2] == 0 or r[0] < 105]
        warehouse.expect_rows(f"d.{table}", columns, left)
        warehouse.expect_rows(f"d.{table}", columns, old, reading=["--option", "scan.tag-name=before"])
    warehouse.sql("TRUNCATE TABLE d.alike", "INSERT INTO d.alike SELECT * FROM d.loose WHERE id >= 100")
    warehouse.expect_rows("d.alike", columns, [r for r in late if r[2] == 0 or r[0] < 105])


def scenario_sql_changes_of_rows(warehouse):
    """DELETE, UPDATE and MERGE of key and append tables, by rows, vectors and rewritten files; Java reads, writes and compacts."""
    columns = ["k", "p", "v"]
    warehouse.sql("CREATE DATABASE d")
    for table, key, options in (
        ("marked", "", "'deletion-vectors.enabled' = 'true'"),
        ("marked64", "", "'deletion-vectors.enabled' = 'true', 'deletion-vectors.bitmap64' = 'true'"),
        ("rewritten", "", "'file.format' = 'orc'"),
        ("bucketed", "", "'bucket' = '2', 'bucket-key' = 'k', 'deletion-vectors.enabled' = 'true'"),
        ("keyed", ", PRIMARY KEY (k, p) NOT ENFORCED", "'bucket' = '2'"),
        ("hashed", ", PRIMARY KEY (k, p) NOT ENFORCED", "'changelog-producer' = 'lookup'"),
        ("vectors", ", PRIMARY KEY (k, p) NOT ENFORCED", "'bucket' = '1', 'deletion-vectors.enabled' = 'true'"),
        ("partial", ", PRIMARY KEY (k, p) NOT ENFORCED", "'bucket' = '1', 'merge-engine' = 'partial-update', "
         "'partial-update.remove-record-on-delete' = 'true'"),
    ):
        name = f"d.{table}"
        rows = [[k, f"p{k % 3}", k * 10] for k in range(60)]
        warehouse.sql(
            f"CREATE TABLE {name} (k INT, p STRING, v INT{key}) PARTITIONED BY (p) WITH ({options})",
            f"INSERT INTO {name} VALUES {values(rows[:30])}",
            f"INSERT INTO {name} VALUES {values(rows[30:])}",
            f"DELETE FROM {name} WHERE MOD(k, 5) = 0",
            f"UPDATE {name} SET v = v + 1 WHERE k BETWEEN 20 AND 40",
        )
        model = {k: [k, p, v + 1 if 20 <= k <= 40 else v] for k, p, v in rows if k % 5}
        warehouse.expect_rows(name, columns, key_rows(model))
        changed = key_rows(model)
        warehouse.java(
            {"op": "create_tag", "table": name, "tag": "changed"},
            {"op": "write", "table": name, "rows": [[100 + k, "p0", k] for k in range(10)]},
            {"op": "compact", "table": name},
        )
        upsert(model, [[100 + k, "p0", k] for k in range(10)])
        warehouse.expect_rows(name, columns, key_rows(model))
        warehouse.sql(
            f"DELETE FROM {name} WHERE p = 'p2'",
            f"MERGE INTO {name} AS t USING (VALUES (1, 'p1', 1000), (4, 'p1', -1), (200, 'p1', 7), (201, 'p5', -1)) AS s (k, p, v) "
            "ON t.k = s.k AND t.p = s.p WHEN MATCHED AND s.v < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = t.v + s.v "
            "WHEN NOT MATCHED AND s.v > 0 THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.k > 105 THEN DELETE",
        )
        model = {k: row for k, row in model.items() if row[1] != "p2" and k <= 105 and k != 4}
        upsert(model, [[1, "p1", 1010], [200, "p1", 7]])
        warehouse.expect_rows(name, columns, key_rows(model))
        warehouse.expect_rows(name, columns, changed, reading=["--option", "scan.tag-name=changed"])
        # One more change of files that Java wrote, then Java applies what was deleted.
        warehouse.sql(f"UPDATE {name} SET v = -1 WHERE k >= 100", f"DELETE FROM {name} WHERE v = 1010 OR k = 103")
        model = {k: [k, row[1], -1 if k >= 100 else row[2]] for k, row in model.items() if k not in (1, 103)}
        warehouse.expect_rows(name, columns, key_rows(model))
        warehouse.java({"op": "compact", "table": name}, {"op": "expire_snapshots", "table": name, "retain_max": 1})
        warehouse.expect_rows(name, columns, key_rows(model))
        warehouse.expect_rows(name, columns, changed, reading=["--option", "scan.tag-name=changed"])


def scenario_sql_schema_changes(warehouse):
    """ALTER TABLE by both programs between INSERTs; old files are read, compacted and written beside."""
    for table, key in (("log", ""), ("keyed", ", PRIMARY KEY (k) NOT ENFORCED")):
        name = f"d.{table}"
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, a INT, gone STRING{key}) WITH ('bucket' = '{'2' if key else '-1'}')",
            f"INSERT INTO {name} VALUES (1, 10, 'x'), (2, 20, 'y'), (3, CAST(NULL AS INT), 'z')",
            f"ALTER TABLE {name} ADD (c STRING COMMENT 'added', r ROW<x INT, y STRING>)",
            f"ALTER TABLE {name} DROP (gone)",
            f"INSERT INTO {name} VALUES (4, 40, 'four', ROW(4, 'iv'))",
            f"ALTER TABLE {name} RENAME a TO b",
            f"ALTER TABLE {name} MODIFY b BIGINT",
            f"ALTER TABLE {name} ADD (gone DOUBLE)",
            f"INSERT INTO {name} (k, b, gone) VALUES (5, 5000000000, 5.5)",
        )
        columns = ["k", "b", "c", "r", "gone"]
        rows = [
            [1, 10, None, None, None],
            [2, 20, None, None, None],
            [3, None, None, None, None],
            [4, 40, "four", {"x": 4, "y": "iv"}, None],
            [5, 5000000000, None, None, 5.5],
        ]
        warehouse.expect_rows(name, columns, rows)
        warehouse.java(
            {
                "op": "alter_table",
                "table": name,
                "changes": [
                    {"change": "add", "column": "front", "type": "STRING", "first": True},
                    {"change": "add", "column": ["r", "z"], "type": "BIGINT"},
                    {"change": "rename", "column": "c", "to": "text"},
                ],
            },
            {"op": "write", "table": name, "rows": [["f", 6, 60, "six", {"x": 6, "y": "vi", "z": 66}, 6.5]]},
        )
        columns = ["front", "k", "b", "text", "r", "gone"]
        nested = {"x": 4, "y": "iv", "z": None}
        rows = [[None, k, b, c, r and nested, gone] for k, b, c, r, gone in rows]
        rows += [["f", 6, 60, "six", {"x": 6, "y": "vi", "z": 66}, 6.5], [None, 7, None, "seven", None, None]]
        warehouse.sql(
            f"INSERT INTO {name} (k, text) VALUES (7, 'seven')",
            f"CALL sys.compact(`table` => '{name}')",
            f"ALTER TABLE {name} DROP (front)",
            f"ALTER TABLE {name} MODIFY text STRING COMMENT 'again' AFTER k",
        )
        columns, rows = ["k", "text", "b", "r", "gone"], [[r[1], r[3], r[2], r[4], r[5]] for r in rows]
        warehouse.expect_rows(name, columns, rows)
        warehouse.java({"op": "compact", "table": name})
        warehouse.expect_rows(name, columns, rows)
        warehouse.expect_rows(name, columns, [r for r in rows if r[0] > 4], reading=["--filter", "k > 4"])


def scenario_sql_long_rows(warehouse):
    """Rows of megabytes, which Braid writes as row groups and pages of their own: Java reads, compacts and rewrites them."""
    megabytes = 6
    lorem = "abcdefghij" * (megabytes * 100_000)
    for codec, version in (("zstd", "v1"), ("snappy", "v1"), ("gzip", "v2"), ("none", "v1")):
        name = f"d.long_{codec}"
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, s STRING, a ARRAY<STRING>, n INT, PRIMARY KEY (k) NOT ENFORCED) WITH "
            f"('bucket' = '1', 'file.compression' = '{codec}', 'parquet.writer.version' = '{version}')",
            *(
                f"INSERT INTO {name} SELECT k, REPEAT(s, m), ARRAY[s, REPEAT(s, m), CAST(NULL AS STRING)], k FROM "
                f"(VALUES {values(rows)}) AS v(k, s, m)"
                for rows in (
                    [[1, "short", 1], [2, "abcdefghij", megabytes * 100_000], [3, "short", 1]],
                    [[2, "newer", 1], [3, "abcdefghij", megabytes * 100_000], [4, "abcdefghij", megabytes * 100_000]],
                )
            ),
        )

        def row(key, text, repeated):
            return [key, repeated, [text, repeated, None], key]

        columns = ["k", "s", "a", "n"]
        rows = [row(1, "short", "short"), row(2, "newer", "newer")]
        rows += [row(key, "abcdefghij", lorem) for key in (3, 4)]
        warehouse.expect_rows(name, columns, rows)
        warehouse.java({"op": "write", "table": name, "rows": [row(5, "abcdefghij", lorem)]}, {"op": "compact", "table": name})
        rows.append(row(5, "abcdefghij", lorem))
        warehouse.expect_rows(name, columns, rows)
        warehouse.sql(f"CALL sys.compact(`table` => '{name}')")
        warehouse.expect_rows(name, columns, rows)


def scenarios():
    return {name[len("scenario_") :]: function for name, function in globals().items() if name.startswith("scenario_")}
