"""Tables in Google's and Azure's stores: read as they are, and no change of them begun."""

import pathlib

import cloud_servers
import server as store
from bucket import UNSUPPORTED, equal, expect, insert, rows


def tables(braid, folder):
    """A warehouse in the folder, and its rows by table."""
    words = [(number, "word" * number) for number in range(50)]
    braid.sql("""CREATE DATABASE d;
                 CREATE TABLE d.k (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '2', 'write-only' = 'true');
                 CREATE TABLE d.p (part STRING, k INT) PARTITIONED BY (part) WITH ('file.format' = 'orc');"""
              + insert("d.k", words) + insert("d.k", [(3, "changed")]) + insert("d.p", [("with space", 1), ("a=b", 2)]),
              catalog=braid.catalog(warehouse=folder))
    return {"d.k": rows([word for word in words if word[0] != 3] + [(3, "changed")]), "d.p": rows([("with space", 1), ("a=b", 2)])}


def read_only(braid, warehouse, expected, **options):
    catalog = braid.catalog(warehouse=warehouse, **options)
    for table, want in expected.items():
        got = rows(row.values() for row in braid.sql(f"SELECT * FROM {table};", catalog=catalog))
        equal(got, want, f"{table} in {warehouse}")
    for statement in (insert("d.k", [(1, "x")]), "CREATE DATABASE e;", "CREATE TABLE d.n (k INT);", "DROP TABLE d.p;"):
        error = braid.sql(statement, code=UNSUPPORTED, catalog=catalog)
        expect("can be read, not written" in error and "try:" in error, f"{statement}: {error}")
    for table, want in expected.items():
        equal(rows(row.values() for row in braid.sql(f"SELECT * FROM {table};", catalog=catalog)), want, f"{table} after refusals")


def gcs(braid):
    data = pathlib.Path(braid.folder) / "data"
    expected = tables(braid, data / "bucket" / "w")
    server = cloud_servers.Gcs(data, f"{braid.folder}/log")
    try:
        read_only(braid, f"gs://anonymous@bucket/w{server.query}", expected)
    finally:
        server.close()


def azure(braid):
    data = pathlib.Path(braid.folder) / "data"
    expected = tables(braid, data / "container" / "w")
    server = cloud_servers.Azure(data, f"{braid.folder}/log")
    try:
        read_only(braid, f"abfs://{cloud_servers.ACCOUNT}@{server.authority}/container/w?enable_tls=false", expected,
                  **{"fs.azure.account.key": cloud_servers.KEY})
    finally:
        server.close()


def oss(braid):
    """An address of Alibaba's store with its options, at a server that speaks its S3-compatible protocol and has conditional writes."""
    catalog = braid.catalog(warehouse=braid.warehouse.replace("s3://", "oss://"), **{
        "fs.oss.endpoint": braid.endpoint, "fs.oss.accessKeyId": store.ACCESS_KEY, "fs.oss.accessKeySecret": store.SECRET_KEY,
        "s3.path.style.access": "true"})
    nothing = {"AWS_ENDPOINT_URL": "", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    braid.sql("CREATE DATABASE d; CREATE TABLE d.t (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1');"
              + insert("d.t", [(1, "a"), (2, "b")]) + insert("d.t", [(2, "c")]), catalog=catalog, environment=nothing)
    equal(braid.read("d.t"), rows([(1, "a"), (2, "c")]), "rows written by oss://, read by s3://")


SCENARIOS = [gcs, azure, oss]
