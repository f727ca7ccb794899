"""Wrong arguments and statements, and options that look misspelt."""

from harness import (
    CORRUPT, EXISTS, INVALID, NOT_FOUND, STORAGE, UNSUPPORTED, Failure, case,
)  # fmt: skip

# Words: what the command is given; then the exit code and what the message holds.

ARGUMENTS = [
    (["raed"], INVALID, ["no command 'raed'", "did you mean 'read'"]),
    (["read"], INVALID, ["WAREHOUSE is missing", "braid read --help"]),
    (["read", "W"], INVALID, ["TABLE is missing"]),
    (["read", "W", "d.t", "--filtre", "k > 1"], INVALID, ["no option '--filtre'", "did you mean '--filter'"]),
    (["read", "W", "d.t", "d.log"], INVALID, ["d.log"]),
    (["read", "nowhere", "d.t"], NOT_FOUND, ["nowhere", "does not exist"]),
    (["read", "W", "t"], INVALID, ["'t' is no table name", "db.table"]),
    (["read", "W", "dd.t"], NOT_FOUND, ["database dd does not exist", "did you mean 'd'"]),
    (["read", "W", "d.tt"], NOT_FOUND, ["table d.tt does not exist", "did you mean 't'"]),
    (["read", "W", "d.t", "--projection", "k,vv"], NOT_FOUND, ["no column 'vv'", "did you mean 'v'"]),
    (["read", "W", "d.t", "--filter", "kk > 1"], INVALID, ["kk", "did you mean k"]),
    (["read", "W", "d.t", "--filter", "k >"], INVALID, ["position 4", "column k"]),
    (["read", "W", "d.t", "--filter", "k > 'x'"], INVALID, ["x"]),
    (["read", "W", "d.t", "--option", "scan.snapshot-id"], INVALID, ["scan.snapshot-id", "KEY=VALUE"]),
    (["read", "W", "d.t", "--option", "scan.snapshot-id=x"], INVALID, ["scan.snapshot-id", "'x'"]),
    (["read", "W", "d.t", "--option", "scan.snapshot-id=77"], NOT_FOUND, ["snapshot 77", "braid log"]),
    (["read", "W", "d.t", "--option", "scan.tag-name=none"], NOT_FOUND, ["tag 'none'"]),
    (["read", "W", "d.t", "--option", "scan.mode=sideways"], INVALID, ["scan.mode", "sideways"]),
    (["read", "W", "d.t$branch_b"], NOT_FOUND, ["branch 'b'"]),
    (["read", "W", "d.t$snapshot"], NOT_FOUND, ["$snapshot", "$snapshots"]),
    (["read", "W", "d.t$branch_b$files$x"], INVALID, ["too many parts"]),
    (["read", "W", "paimon.job_run"], NOT_FOUND, ["job_run"]),
    (["stream", "W", "d.t"], INVALID, ["--from"]),
    (["stream", "W", "d.t$files", "--from", "1"], UNSUPPORTED, ["system table", "braid read"]),
    (["stream", "W", "d.t", "--from", "x"], INVALID, ["--from", "no number"]),
    (["log", "W", "d.x"], NOT_FOUND, ["d.x"]),
    (["log", "W", "d.t$files"], INVALID, ["system table", "braid read"]),
    (["log", "W", "sys.tables"], INVALID, ["system table", "braid read"]),
    (["files", "W", "d.t", "--option", "scan.snapshot-id=9"], NOT_FOUND, ["snapshot 9"]),
    (["files", "W", "d.t", "--output", "yaml"], INVALID, ["yaml", "none of"]),
    (["lineage"], INVALID, ["needs to be told what to do", "up, down"]),
    (["lineage", "upp", "W"], INVALID, ["upp", "did you mean 'up'"]),
    (["lineage", "graph", "nowhere"], NOT_FOUND, ["nowhere", "does not exist"]),
    (["--verison"], INVALID, ["no option '--verison'", "did you mean '--version'"]),
    (["log", "W", "d.t", "-n", "x"], INVALID, ["x", "no number"]),
    (["log", "W", "d.t", "-n", "-1"], INVALID, ["-1", "no number"]),
    (["sql", "-e", "SELECT 1", "extra"], INVALID, ["does not take 'extra'"]),
    (["sql", "-f"], INVALID, ["--file", "needs a value"]),
    (["lineage", "up", "W", "d.t"], (INVALID, NOT_FOUND), ["table-lineage"]),
    (["sql", "--warehouse", "W", "-f", "none.sql"], NOT_FOUND, ["none.sql"]),
    (["sql", "--no-init", "-D", "execution.runtime-mode=x", "-e", "SELECT 1"], INVALID, ["'x'", "batch", "in -D"]),
    (["sql", "--no-init", "--warehouse", "W", "-e", "BEGIN STATEMENT SET; INSERT INTO d.log VALUES (7, 'x')"], INVALID, ["no END", "END;"]),
    (["sql", "--no-init", "--warehouse", "W/d.db/log/schema/schema-0", "-e", "SHOW TABLES"], STORAGE, ["a file is in its place"]),
    (["sql", "--no-init", "--warehouse", "ftp://b/w", "-e", "SHOW TABLES"], UNSUPPORTED, ["'ftp'", "s3"]),
    (["stream", "W", "d.t", "--from", "3", "--to", "1"], INVALID, ["--from 3", "--to 1"]),
    (["stream", "W", "d.t", "--from", "0"], INVALID, ["--from", "no number from 1 on"]),
    (["lineage", "up", "W", "d.t", "--depth", "-1"], INVALID, ["--depth", "no number from 0 on"]),
    (["read", "W", ".t"], INVALID, ["'.t'", "database is empty"]),
    (["read", "W", "d."], INVALID, ["'d.'", "table is empty"]),
    (["read", "W", "d.t$"], INVALID, ["nothing follows"]),
    (["read", "W/d.db/log/schema/schema-0", "d.t"], NOT_FOUND, ["a file, not a folder"]),
    (["read", "W", "d.t", "--projection", ","], NOT_FOUND, ["no column ''", "k, p, v"]),
    (["read", "W", "d.t", "--option", "scan.snapshot-id=" + "9" * 30], INVALID, ["9" * 30, "whole number"]),
    (["tabel", "check", "W", "d.t"], INVALID, ["no command 'tabel'", "did you mean 'table'"]),
    (["table", "chek", "W", "d.t"], INVALID, ["no command 'chek'", "did you mean 'check'"]),
    (["sql", "--output", "xml", "-e", "SELECT 1"], INVALID, ["xml"]),
    (["sql", "-D", "nonsense", "-e", "SELECT 1"], INVALID, ["nonsense"]),
    (["sql", "--no-init", "--catalog", "none", "-e", "SELECT 1"], NOT_FOUND, ["none"]),
    (["demo", "--text", "none.txt"], NOT_FOUND, ["none.txt"]),
]  # fmt: skip


@case
def wrong_arguments(program):
    before = program.files()
    for words, code, fragments in ARGUMENTS:
        words = [str(program.warehouse) + word[1:] if word == "W" or word.startswith("W/") else word for word in words]
        try:
            program.check(program.run(*words), code, *fragments)
        except Failure as failure:
            yield f"braid {' '.join(words)}: {failure}"
    if program.files() != before:
        yield "the warehouse has changed"


STATEMENTS = [
    ("SELEC 1", INVALID, ["SELEC", "line 1"]),
    ("SELEKT * FROM d.t", INVALID, ["did you mean SELECT"]),
    ("INSRT INTO d.t VALUES (1)", INVALID, ["did you mean INSERT"]),
    ("INSERT d.t VALUES (1)", INVALID, ["expected INTO or OVERWRITE"]),
    ("INSERT INTO d.t VALUE (1)", INVALID, ["expected a query", "VALUES"]),
    ("CREATE TABEL d.n (a INT)", INVALID, ["did you mean TABLE"]),
    ("CREATE TABLE d.n (a INTT)", INVALID, ["Unknown type 'INTT'", "did you mean INT", "^"]),
    ("CREATE TABLE d.n (a INT,)", INVALID, ["a column's name", "^"]),
    ("CREATE TABLE d.n (a INT) WITH (bucket = 1)", INVALID, ["as 'text'", "^"]),
    ("CREATE DATABSE n", INVALID, ["did you mean DATABASE"]),
    ("CREATE VIEW n AS SELECT 1", UNSUPPORTED, ["views", "TEMPORARY"]),
    ("CREATE FUNCTION f AS 'x'", UNSUPPORTED, ["CREATE FUNCTION", "SHOW FUNCTIONS"]),
    ("DROP TABEL d.t", INVALID, ["did you mean TABLE"]),
    ("DROP VIEW n", NOT_FOUND, ["n"]),
    ("ALTER TABLE d.t ADD COLUMN n INT", INVALID, ["leave the word COLUMN out"]),
    ("ALTER TABLE d.t MODIFY w INT", NOT_FOUND, ["no column 'w'"]),
    ("ALTER TABLE d.t FROB", INVALID, ["RENAME, ADD", "^"]),
    ("ALTER TABLE d.tt SET ('a' = 'b')", NOT_FOUND, ["d.tt"]),
    ("TRUNCATE d.t", INVALID, ["expected TABLE"]),
    ("TRUNCATE TABLE d.tt", NOT_FOUND, ["d.tt"]),
    ("SHOW TABELS", INVALID, ["did you mean TABLES"]),
    ("SHOW TABLES FROM e", NOT_FOUND, ["database e"]),
    ("SHOW CREATE TABLE d.tt", NOT_FOUND, ["d.tt"]),
    ("SHOW PARTITIONS d.log", INVALID, ["not partitioned"]),
    ("DESCRIBE d.tt", NOT_FOUND, ["d.tt", "^"]),
    ("EXPLAIN SELECT vv FROM d.t", INVALID, ["vv", "^"]),
    ("USE CATALOG n", NOT_FOUND, ["catalog n", "paimon"]),
    ("SET 'a'", INVALID, ["expected ="]),
    ("STOP JOB n", INVALID, ["the job's id"]),
    ("END", INVALID, ["BEGIN STATEMENT SET"]),
    ("EXECUTE STATEMENT SET BEGIN SELECT 1; END", INVALID, ["expected INSERT"]),
    ("EXECUTE NOPE", INVALID, ["STATEMENT SET"]),
    ("COMPILE PLAN 'x' FOR INSERT INTO d.t SELECT 1", UNSUPPORTED, ["COMPILE PLAN"]),
    ("ADD JAR 'x'", UNSUPPORTED, ["ADD JAR"]),
    ("LOAD MODULE x", UNSUPPORTED, ["LOAD MODULE"]),
    ("MERGE INTO d.t USING d.log ON k = id", INVALID, ["WHEN MATCHED"]),
    ("DELETE d.t", INVALID, ["expected FROM"]),
    ("CALL sys.create_tag()", INVALID, ["'table' is missing", "create_tag("]),
    ("CALL sys.create_tag('d.t', 'x', 'y')", INVALID, ["snapshot_id", "BIGINT"]),
    ("123", INVALID, ["expected a statement"]),
    ("SELECT * FROM d.t WHERE", INVALID, ["line 1", "^"]),
    ("SELECT 'abc", INVALID, ["line 1"]),
    ("SELECT * FROM d.tt", NOT_FOUND, ["tt", "did you mean", "^"]),
    ("SELECT * FROM e.t", NOT_FOUND, ["e"]),
    ("SELECT * FROM c.d.t", NOT_FOUND, ["catalog c"]),
    ("SELECT vv FROM d.t", INVALID, ["vv", "did you mean", "^"]),
    ("SELECT NOPE(1)", NOT_FOUND, ["NOPE"]),
    ("SELECT k FROM d.t GROUP BY p", INVALID, ["k"]),
    ("SELECT 1 + 'x' || DATE '2024-01-01'", INVALID, ["line 1"]),
    ("SELECT CAST('x' AS INT)", INVALID, ["'x'", "INT", "TRY_CAST"]),
    ("SELECT DATE '2024-13-01'", INVALID, ["2024-13-01"]),
    ("SELECT (SELECT k FROM d.t)", INVALID, ["more than one row", "LIMIT 1"]),
    ("SELECT * FROM d.t /*+ OPTIONS('scan.snapshot-id' = '77') */", NOT_FOUND, ["snapshot 77"]),
    ("SELECT * FROM d.t /*+ OPTIONS('scan.snapshot-id' = 'x') */", INVALID, ["scan.snapshot-id"]),
    ("SELECT * FROM d.t /*+ OPTIONS('scan.tag-name' = 'none') */", NOT_FOUND, ["tag 'none'"]),
    ("SELECT * FROM d.`t$branch_b`", NOT_FOUND, ["branch 'b'"]),
    ("SELECT * FROM d.`t$nope`", NOT_FOUND, ["nope"]),
    ("INSERT INTO d.x VALUES (1)", NOT_FOUND, ["x"]),
    ("INSERT INTO d.t VALUES (1)", INVALID, ["1 columns", "3"]),
    ("INSERT INTO d.t VALUES ('a', 'b', 'c')", INVALID, ["CAST"]),
    ("INSERT INTO d.t (k, p, nope) VALUES (1, 'p', 'x')", NOT_FOUND, ["nope"]),
    ("INSERT INTO d.t (k, v) VALUES (1, 'x')", INVALID, ["NOT NULL", "p"]),
    ("INSERT INTO d.t PARTITION (v = 'x') SELECT 1, 'p'", INVALID, ["no partition column"]),
    ("INSERT INTO d.log /*+ OPTIONS('target-file-size' = 'big') */ VALUES (9, 'x')", INVALID, ["target-file-size", "big"]),
    ("INSERT INTO d.log SELECT id, text FROM d.logg", NOT_FOUND, ["did you mean"]),
    ("INSERT INTO d.log SELECT id / 0, text FROM d.log", INVALID, ["zero"]),
    ("INSERT INTO sys.tables VALUES (1)", (INVALID, NOT_FOUND), ["tables"]),
    ("CREATE TABLE d.t (a INT)", EXISTS, ["d.t"]),
    ("CREATE TABLE d.n (a INT, a INT)", (INVALID, EXISTS), ["a"]),
    ("CREATE TABLE d.n (a INT, PRIMARY KEY (b) NOT ENFORCED)", (INVALID, NOT_FOUND), ["b"]),
    ("CREATE TABLE d.n (a INT) WITH ('bucket' = 'many')", INVALID, ["bucket", "many"]),
    ("CREATE TABLE d.n (a INT) WITH ('bucket' = '2')", INVALID, ["bucket-key"]),
    ("CREATE TABLE d.n (a INT PRIMARY KEY NOT ENFORCED) WITH ('bucket' = '99999999999999')", INVALID, ["'bucket'", "2147483647 or less"]),
    ("CREATE TABLE d.n (a INT PRIMARY KEY NOT ENFORCED) WITH ('merge-engine' = 'merge')", INVALID, ["merge-engine", "merge"]),
    ("CREATE TABLE d.n (a INT) WITH ('connector' = 'carrier-pigeon')", (INVALID, UNSUPPORTED), ["carrier-pigeon"]),
    ("CREATE DATABASE d", EXISTS, ["d"]),
    ("CREATE DATABASE sys", (INVALID, EXISTS), ["sys"]),
    ("CREATE CATALOG c2 WITH ('type' = 'paimon')", INVALID, ["warehouse"]),
    ("CREATE CATALOG c2 WITH ('type' = 'paimom', 'warehouse' = 'x')", UNSUPPORTED, ["paimom"]),
    ("CREATE CATALOG c2 WITH ('type' = 'paimon', 'warehouse' = 'ftp://b/w')", UNSUPPORTED, ["ftp"]),
    ("ALTER TABLE d.t ADD (v STRING)", (EXISTS, INVALID), ["v"]),
    ("ALTER TABLE d.t DROP (nope)", NOT_FOUND, ["nope"]),
    ("ALTER TABLE d.t DROP (k)", INVALID, ["k"]),
    ("ALTER TABLE d.t RENAME v TO k", (EXISTS, INVALID), ["k"]),
    ("ALTER TABLE d.t SET ('bucket' = 'x')", INVALID, ["bucket"]),
    ("DROP TABLE d.nope", NOT_FOUND, ["nope"]),
    ("DROP DATABASE d", INVALID, ["2 tables", "CASCADE"]),
    ("USE nope", NOT_FOUND, ["nope"]),
    ("CALL sys.compat('d.t')", (NOT_FOUND, UNSUPPORTED), ["compat"]),
    ("CALL sys.compact('d.t', nope => 'x')", INVALID, ["nope"]),
    ("CALL sys.compact('d.t', order_by => 'k')", INVALID, ["order_strategy"]),
    ("CALL sys.compact('d.t', order_strategy => 'order', order_by => 'k')", UNSUPPORTED, ["primary key"]),
    ("CALL sys.compact(`table` => 'd.t', options => 'nonsense')", INVALID, ["nonsense", "key=value"]),
    ("CALL sys.compact(`table` => 'd.t', partitions => 'q=1')", INVALID, ["'q'", "partitioned by p"]),
    ("CALL sys.compact(`table` => 'd.t', compact_strategy => 'some')", INVALID, ["some", "full"]),
    ("SET 'execution.runtime-mode' = 'fast'", INVALID, ["fast", "batch"]),
    ("SET 'table.local-time-zone' = 'Mars/Olympus'", (INVALID, NOT_FOUND), ["Mars/Olympus"]),
]  # fmt: skip


@case
def wrong_statements(program):
    before = program.files()
    for statement, code, fragments in STATEMENTS:
        try:
            program.check(program.sql(statement), code, *fragments)
        except Failure as failure:
            yield f"{statement}: {failure}"
    changed = {str(path) for path in program.files().items() ^ before.items()} if program.files() != before else set()
    if changed:
        yield "the warehouse has changed"
    program.check_whole()


@case
def scripts_that_are_none(program):
    """Bytes of another kind end in an error that a terminal can show."""
    script = program.folder / "script.sql"
    for name, content in (
        ("binary", bytes(range(256)) * 8),
        ("no UTF-8", b"SELECT 1;\nSELECT '\xff\xfe' \xff"),
        ("a zero byte", b"SELECT 1;\0SELECT 2;"),
        ("escape sequences", b"SELECT \x1b[31m 1;"),
        ("an archive", b"PK\x03\x04" + bytes(500)),
    ):
        script.write_bytes(content)
        try:
            program.check(program.run("sql", "--no-init", "-f", script), INVALID, "script.sql", "line")
        except Failure as failure:
            yield f"{name}: {failure}"
    for path, fragments in ((program.folder, [str(program.folder)]), (program.folder / "none.sql", ["none.sql"])):
        try:
            program.check(program.run("sql", "--no-init", "-f", path), (NOT_FOUND, INVALID), *fragments)
        except Failure as failure:
            yield f"{path}: {failure}"


MISSPELT = [
    ("SELECT COUNT(*) FROM d.t /*+ OPTIONS('scan.snapshotid' = '1') */", "scan.snapshot-id"),
    ("CREATE TABLE d.m (a INT) WITH ('file.fromat' = 'orc')", "file.format"),
    ("ALTER TABLE d.m SET ('snapshot.time.retained' = '1 h')", "snapshot.time-retained"),
    ("INSERT INTO d.m /*+ OPTIONS('sink.paralelism' = '1') */ VALUES (1)", "sink.parallelism"),
    ("CREATE CATALOG c3 WITH ('type' = 'paimon', 'warehouse' = 'w3', 'data_lineage' = 'true')", "data-lineage"),
    ("SET 'pipline.name' = 'x'", "pipeline.name"),
]  # fmt: skip


@case
def misspelt_options(program):
    """They work, as in Java, and say what was probably meant."""
    for statement, meant in MISSPELT:
        run = program.sql(statement)
        if run.returncode or f"did you mean '{meant}'" not in run.stderr:
            yield f"{statement}: exit code {run.returncode}, {run.stderr.strip()!r}"
    run = program.run("read", program.warehouse, "d.t", "--option", "scan.snapshotid=1")
    if run.returncode or "did you mean 'scan.snapshot-id'" not in run.stderr:
        yield f"braid read: exit code {run.returncode}, {run.stderr.strip()!r}"
    quiet = program.sql("SELECT COUNT(*) FROM d.t /*+ OPTIONS('my.own-key' = '1', 'scan.snapshot-id' = '1') */")
    if quiet.returncode or "note:" in quiet.stderr:
        yield f"known and foreign keys: {quiet.stderr.strip()!r}"


@case
def lineage_of_what_is_not_there(program):
    made = program.run(
        "sql", "--no-init", "-D", "execution.runtime-mode=batch", "-e",
        f"CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '{program.folder}/l', 'table-lineage' = 'true', "
        "'data-lineage' = 'true'); USE CATALOG c; CREATE TABLE a (n INT); CREATE TABLE b (n INT); "
        "INSERT INTO a VALUES (1); INSERT INTO b SELECT n FROM a",
    )  # fmt: skip
    if made.returncode:
        yield f"the tables cannot be made: {made.stderr}"
    warehouse = program.folder / "l"
    read = program.run("read", warehouse, "paimon.sink_job_lineage")
    if read.returncode or '"table":"b"' not in read.stdout:
        yield f"braid read paimon.sink_job_lineage: exit code {read.returncode}, {read.stderr.strip()!r}"
    for words, fragments in (
        (["lineage", "up", warehouse, "default.b", "--snapshot", "7"], ["snapshot 7"]),
        (["lineage", "up", warehouse, "default.c"], ["default.c"]),
        (["read", warehouse, "paimon.sink_job_lineag"], ["did you mean 'sink_job_lineage'"]),
    ):
        try:
            program.check(program.run(*words), NOT_FOUND, *fragments)
        except Failure as failure:
            yield f"braid {' '.join(map(str, words))}: {failure}"
    other = program.sql(f"CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '{warehouse}', 'data-lineage' = 'false')")
    try:
        program.check(other, INVALID, "data-lineage", "fixed")
    except Failure as failure:
        yield f"another value of data-lineage: {failure}"
    # A damaged store of lineage is named, and can be deleted.
    (warehouse / ".braid" / "lineage.db").write_bytes(b"no database" * 100)
    for leftover in ("lineage.db-wal", "lineage.db-shm"):
        (warehouse / ".braid" / leftover).unlink(missing_ok=True)
    try:
        program.check(program.run("lineage", "graph", warehouse), CORRUPT, "lineage.db")
    except Failure as failure:
        yield f"a damaged store: {failure}"
    (warehouse / ".braid" / "lineage.db").unlink()
    if "a  --insert-into_c.default.b-->  default.b" not in program.run("lineage", "graph", warehouse).stdout:
        yield "a deleted store is not made anew"
