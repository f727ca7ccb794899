-- @script aggregates/01_basic.sql 5
SET 'execution.runtime-mode' = 'batch';
SELECT COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM(x), AVG(x), MIN(x), MAX(x) FROM (VALUES (1),(2),(2),(CAST(NULL AS INT))) AS t(x);
SELECT COUNT(*), COUNT(x), SUM(x), AVG(x), MIN(x), MAX(x) FROM (VALUES (1)) AS t(x) WHERE x > 5;
SELECT k, COUNT(*) AS c, SUM(x) AS s FROM (VALUES ('a',1),('b',2),('a',CAST(NULL AS INT)),(CAST(NULL AS STRING),4)) AS t(k,x) GROUP BY k;
SELECT k FROM (VALUES ('a',1)) AS t(k,x) WHERE x > 5 GROUP BY k;
-- @script aggregates/02_types.sql 6
SET 'execution.runtime-mode' = 'batch';
SELECT SUM(CAST(x AS TINYINT)) AS a, SUM(CAST(x AS SMALLINT)) AS b, SUM(x) AS c, SUM(CAST(x AS BIGINT)) AS d, SUM(CAST(x AS FLOAT)) AS e, SUM(CAST(x AS DOUBLE)) AS f, SUM(CAST(x AS DECIMAL(10,2))) AS g FROM (VALUES (1),(2)) AS t(x);
SELECT AVG(CAST(x AS TINYINT)) AS a, AVG(CAST(x AS SMALLINT)) AS b, AVG(x) AS c, AVG(CAST(x AS BIGINT)) AS d, AVG(CAST(x AS FLOAT)) AS e, AVG(CAST(x AS DOUBLE)) AS f, AVG(CAST(x AS DECIMAL(10,2))) AS g FROM (VALUES (1),(2)) AS t(x);
SELECT AVG(x) FROM (VALUES (-1),(-2)) AS t(x);
SELECT AVG(x) FROM (VALUES (CAST(1 AS DECIMAL(10,2))),(CAST(2 AS DECIMAL(10,2))),(CAST(2 AS DECIMAL(10,2)))) AS t(x);
SELECT SUM(x), AVG(x) FROM (VALUES (CAST(99999999999999999999999999999999999999 AS DECIMAL(38,0))),(CAST(1 AS DECIMAL(38,0)))) AS t(x);
-- @script aggregates/03_overflow.sql 5
SET 'execution.runtime-mode' = 'batch';
SELECT SUM(x) FROM (VALUES (2147483647),(1)) AS t(x);
SELECT SUM(x) FROM (VALUES (9223372036854775807),(CAST(1 AS BIGINT))) AS t(x);
SELECT SUM(x) FROM (VALUES (CAST(127 AS TINYINT)),(CAST(1 AS TINYINT))) AS t(x);
SELECT AVG(x) FROM (VALUES (9223372036854775807),(CAST(9223372036854775807 AS BIGINT))) AS t(x);
-- @script aggregates/04_variance.sql 6
SET 'execution.runtime-mode' = 'batch';
SELECT STDDEV_POP(x), STDDEV_SAMP(x), VAR_POP(x), VAR_SAMP(x), STDDEV(x), VARIANCE(x) FROM (VALUES (1),(2),(4)) AS t(x);
SELECT STDDEV_POP(x), STDDEV_SAMP(x), VAR_POP(x), VAR_SAMP(x) FROM (VALUES (1.5e0),(2.25e0),(4e0)) AS t(x);
SELECT STDDEV_POP(x), STDDEV_SAMP(x), VAR_POP(x), VAR_SAMP(x) FROM (VALUES (CAST(1.5 AS DECIMAL(10,2))),(CAST(2.25 AS DECIMAL(10,2)))) AS t(x);
SELECT STDDEV_POP(x), STDDEV_SAMP(x), VAR_POP(x), VAR_SAMP(x) FROM (VALUES (1)) AS t(x);
SELECT STDDEV_SAMP(x), VAR_POP(x) FROM (VALUES (1)) AS t(x) WHERE x > 1;
-- @script aggregates/05_distinct_filter.sql 5
SET 'execution.runtime-mode' = 'batch';
SELECT COUNT(DISTINCT x), SUM(DISTINCT x), AVG(DISTINCT x), COUNT(*) FILTER (WHERE x > 1), SUM(x) FILTER (WHERE x > 10) FROM (VALUES (1),(2),(2),(3),(CAST(NULL AS INT))) AS t(x);
SELECT COUNT(DISTINCT a, b) FROM (VALUES (1,'x'),(1,'x'),(2,CAST(NULL AS STRING)),(CAST(NULL AS INT),'y'),(3,'z')) AS t(a,b);
SELECT k, COUNT(DISTINCT x) FILTER (WHERE x <> 2) AS c FROM (VALUES ('a',1),('a',2),('a',3),('b',2)) AS t(k,x) GROUP BY k;
SELECT DISTINCT x FROM (VALUES (1),(1),(CAST(NULL AS INT)),(CAST(NULL AS INT))) AS t(x);
-- @script aggregates/06_listagg.sql 7
SET 'execution.runtime-mode' = 'batch';
SELECT LISTAGG(x), LISTAGG(x, '-') FROM (VALUES ('a'),('b'),(CAST(NULL AS STRING)),('c')) AS t(x);
SELECT LISTAGG(x) FROM (VALUES (CAST(NULL AS STRING))) AS t(x);
SELECT LISTAGG(DISTINCT x) FROM (VALUES ('a'),('b'),('a')) AS t(x);
SELECT LISTAGG(x, CAST(NULL AS STRING)) FROM (VALUES ('a'),('b')) AS t(x);
SELECT LISTAGG(x) WITHIN GROUP (ORDER BY x DESC) FROM (VALUES ('a'),('b')) AS t(x);
SELECT STRING_AGG(x, ',') FROM (VALUES ('a'),('b')) AS t(x);
-- @script aggregates/07_collect.sql 7
SET 'execution.runtime-mode' = 'batch';
SELECT COLLECT(x) FROM (VALUES (1),(2),(2),(CAST(NULL AS INT))) AS t(x);
SELECT COLLECT(DISTINCT x) FROM (VALUES (1),(2),(2)) AS t(x);
SELECT ARRAY_AGG(x) FROM (VALUES (1),(2),(CAST(NULL AS INT))) AS t(x);
SELECT ARRAY_AGG(DISTINCT x) FROM (VALUES (2),(1),(2)) AS t(x);
SELECT ARRAY_AGG(x) FROM (VALUES (1)) AS t(x) WHERE x > 1;
SELECT CARDINALITY(COLLECT(x)) FROM (VALUES (1),(2),(2)) AS t(x);
-- @script aggregates/08_json.sql 7
SET 'execution.runtime-mode' = 'batch';
SELECT JSON_OBJECTAGG(KEY k VALUE v) FROM (VALUES ('b',1),('a',2),('c',CAST(NULL AS INT))) AS t(k,v);
SELECT JSON_OBJECTAGG(KEY k VALUE v ABSENT ON NULL) FROM (VALUES ('b',1),('c',CAST(NULL AS INT))) AS t(k,v);
SELECT JSON_ARRAYAGG(v) FROM (VALUES (1),(CAST(NULL AS INT)),(3)) AS t(v);
SELECT JSON_ARRAYAGG(v NULL ON NULL) FROM (VALUES (1),(CAST(NULL AS INT)),(3)) AS t(v);
SELECT JSON_OBJECT('n' VALUE COUNT(*), 'sum' VALUE SUM(x)) FROM (VALUES (1),(2)) AS t(x);
SELECT JSON_OBJECTAGG(KEY k VALUE v) FROM (VALUES ('a',1),('a',2)) AS t(k,v);
-- @script aggregates/09_first_last.sql 8
SET 'execution.runtime-mode' = 'batch';
SELECT FIRST_VALUE(x), LAST_VALUE(x) FROM (VALUES (CAST(NULL AS INT)),(1),(2),(CAST(NULL AS INT))) AS t(x);
SELECT FIRST_VALUE(x) FROM (VALUES (1)) AS t(x) WHERE x > 1;
SELECT MIN(x), MAX(x) FROM (VALUES ('b'),('A'),('a')) AS t(x);
SELECT MIN(x), MAX(x) FROM (VALUES (TRUE),(FALSE)) AS t(x);
SELECT MIN(x), MAX(x) FROM (VALUES (CAST('NaN' AS DOUBLE)),(1e0)) AS t(x);
SELECT SINGLE_VALUE(x) FROM (VALUES (1),(2)) AS t(x);
SELECT ANY_VALUE(x) FROM (VALUES (1)) AS t(x);
-- @script aggregates/10_grouping_sets.sql 6
SET 'execution.runtime-mode' = 'batch';
SELECT a, b, SUM(x) AS s, GROUPING(a) AS ga, GROUPING(b) AS gb, GROUPING_ID(a, b) AS gid, GROUP_ID() AS grp FROM (VALUES ('p','q',1),('p','r',2),(CAST(NULL AS STRING),'q',3)) AS t(a,b,x) GROUP BY GROUPING SETS ((a,b),(a),());
SELECT a, b, SUM(x) AS s FROM (VALUES ('p','q',1),('p','r',2)) AS t(a,b,x) GROUP BY ROLLUP(a,b);
SELECT a, b, SUM(x) AS s FROM (VALUES ('p','q',1),('p','r',2)) AS t(a,b,x) GROUP BY CUBE(a,b);
SELECT a, COUNT(*) AS c FROM (VALUES ('p',1)) AS t(a,x) WHERE x > 5 GROUP BY ROLLUP(a);
SELECT a, COUNT(*) FROM (VALUES ('p',1)) AS t(a,x) GROUP BY a, ROLLUP(a);
-- @script aggregates/11_having.sql 7
SET 'execution.runtime-mode' = 'batch';
SELECT k, SUM(x) AS s FROM (VALUES ('a',1),('b',2),('a',3)) AS t(k,x) GROUP BY k HAVING SUM(x) > 2 AND COUNT(*) > 1;
SELECT SUM(x) FROM (VALUES (1)) AS t(x) HAVING SUM(x) > 5;
SELECT k AS z, SUM(x) FROM (VALUES ('a',1)) AS t(k,x) GROUP BY z;
SELECT k, SUM(x) FROM (VALUES ('a',1)) AS t(k,x) GROUP BY 1;
SELECT x + 1, COUNT(*) FROM (VALUES (1),(1),(2)) AS t(x) GROUP BY x + 1;
SELECT k, x FROM (VALUES ('a',1)) AS t(k,x) GROUP BY k;
-- @script aggregates/12_group_keys.sql 7
SET 'execution.runtime-mode' = 'batch';
SELECT x, COUNT(*) AS c FROM (VALUES (CAST('NaN' AS DOUBLE)),(CAST('NaN' AS DOUBLE)),(0e0),(CAST('-0.0' AS DOUBLE))) AS t(x) GROUP BY x;
SELECT x, COUNT(*) AS c FROM (VALUES (ARRAY[1,2]),(ARRAY[1,2])) AS t(x) GROUP BY x;
SELECT x, COUNT(*) AS c FROM (VALUES (MAP['a',1]),(MAP['a',1])) AS t(x) GROUP BY x;
SELECT x, COUNT(*) AS c FROM (VALUES (ROW(1,'a')),(ROW(1,'a'))) AS t(x) GROUP BY x;
SELECT x, COUNT(*) AS c FROM (VALUES ('a'),('a '),('A')) AS t(x) GROUP BY x;
SELECT x, COUNT(*) AS c FROM (VALUES (1.0),(1.00)) AS t(x) GROUP BY x;
-- @script aggregates/13_approx_and_unknown.sql 8
SET 'execution.runtime-mode' = 'batch';
SELECT APPROX_COUNT_DISTINCT(x) FROM (VALUES (1),(2),(2)) AS t(x);
SELECT PERCENTILE(x, 0.5) FROM (VALUES (1),(2),(4)) AS t(x);
SELECT PERCENTILE(x, ARRAY[0.25, 0.5, 1.0]) FROM (VALUES (1),(2),(4)) AS t(x);
SELECT MEDIAN(x) FROM (VALUES (1),(2),(4)) AS t(x);
SELECT BIT_AND(x) FROM (VALUES (1),(3)) AS t(x);
SELECT EVERY(x) FROM (VALUES (TRUE),(FALSE)) AS t(x);
SELECT CORR(x, x) FROM (VALUES (1),(3)) AS t(x);
-- @script client/session1.sql
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='file:${WORK}/wh');
USE CATALOG c;
SHOW CATALOGS;
SHOW DATABASES;
CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED, name STRING, price DECIMAL(10,2), ts TIMESTAMP(3), tags ARRAY<STRING>) WITH ('bucket'='1');
SHOW TABLES;
DESCRIBE t;
INSERT INTO t VALUES (1,'Ann',1.50,TIMESTAMP '2020-01-02 03:04:05',ARRAY['a','b']),(2,CAST(NULL AS STRING),CAST(NULL AS DECIMAL(10,2)),CAST(NULL AS TIMESTAMP(3)),CAST(NULL AS ARRAY<STRING>));
SET 'table.dml-sync' = 'true';
INSERT INTO t VALUES (3,'a long name that is wider than the default thirty characters of a column',100,TIMESTAMP '2020-01-02 03:04:05.678',ARRAY['x']);
SELECT * FROM t ORDER BY id;
SELECT COUNT(*) AS n, TRUE AS b, CAST(NULL AS INT) AS nothing, 'ü漢字' AS wide FROM t;
SELECT * FROM t WHERE id > 100;
EXPLAIN SELECT name, COUNT(*) FROM t GROUP BY name;
SHOW CREATE TABLE t;
SET 'execution.runtime-mode' = 'streaming';
SELECT name, COUNT(*) AS c FROM (VALUES ('a'),('b'),('a')) AS v(name) GROUP BY name;
SET;
RESET 'table.dml-sync';
SHOW JOBS;
HELP;
SELECT nope FROM t;
SELECT 'not reached';
-- @script client/session2.sql
SELEC 1;
-- @script client/session3.sql
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM missing;
-- @script client/session4.sql
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
SELECT 1 / 0 AS x;
-- @script client/session5.sql
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
SHOW JOBS;
CREATE CATALOG c WITH ('type'='paimon','warehouse'='file:${WORK}/wh');
USE CATALOG c;
CREATE TABLE t (x INT);
SET 'pipeline.name' = 'job1';
SET 'table.dml-sync' = 'true';
INSERT INTO t VALUES (1),(2);
SHOW JOBS;
RESET 'pipeline.name';
SHOW CURRENT CATALOG;
SHOW CURRENT DATABASE;
SHOW COLUMNS FROM t;
BEGIN STATEMENT SET;
INSERT INTO t VALUES (3);
END;
EXECUTE STATEMENT SET BEGIN
INSERT INTO t VALUES (4);
END;
SELECT x AS `a very long column name, longer than its values`, CAST('2020-01-02' AS DATE) AS d, CAST(1.5 AS DOUBLE) AS f, CAST(1 AS DECIMAL(10,2)) AS dec, x'00ff' AS b, MAP['k',1] AS m, ROW(1,'r') AS r, TIME '01:02:03' AS tm, INTERVAL '1' DAY AS i FROM t ORDER BY x;
CREATE TABLE t (x INT);
DROP TABLE t;
HELP;
QUIT;
-- @script client/session6.sql
SET 'sql-client.execution.result-mode' = 'tableau';
SET 'execution.runtime-mode' = 'batch';
SELECT 1 AS `a very long column name, longer than its values`, CAST('2020-01-02' AS DATE) AS d, CAST(1.5 AS DOUBLE) AS f, CAST(1 AS DECIMAL(10,2)) AS `dec`, x'00ff' AS b, MAP['k',1] AS m, ROW(1,'r') AS r, TIME '01:02:03' AS tm, INTERVAL '1' DAY AS i, TO_TIMESTAMP_LTZ(0, 3) AS l;
DESCRIBE CATALOG default_catalog;
SHOW MODULES;
HELP;
QUIT;
-- @script client/session7.sql
CREATE TEMPORARY TABLE t (x INT) WITH ('connector'='datagen','number-of-rows'='1');
DESCRIBE t;
CREATE TEMPORARY TABLE t (x INT) WITH ('connector'='datagen');
SELECT 'not reached';
-- @script kafka/formats.sql
-- Needs: kafka-broker --port 19092. Writes to fresh topics and reads them back to their end.
CREATE TEMPORARY TABLE j (id INT, name STRING, d DECIMAL(10,2), ts TIMESTAMP(3), tags ARRAY<STRING>) WITH ('connector'='kafka','topic'='fmt_json','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='json');
CREATE TEMPORARY TABLE j_raw (line STRING) WITH ('connector'='kafka','topic'='fmt_json','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='raw');
INSERT INTO j VALUES (1,'ann',1.50,TIMESTAMP '2020-01-02 03:04:05.678',ARRAY['x','y']),(2,CAST(NULL AS STRING),CAST(NULL AS DECIMAL(10,2)),CAST(NULL AS TIMESTAMP(3)),CAST(NULL AS ARRAY<STRING>));
SELECT * FROM j;
SELECT * FROM j_raw;
CREATE TEMPORARY TABLE c (id INT, name STRING, d DECIMAL(10,2), ts TIMESTAMP(3)) WITH ('connector'='kafka','topic'='fmt_csv','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='csv');
CREATE TEMPORARY TABLE c_raw (line STRING) WITH ('connector'='kafka','topic'='fmt_csv','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='raw');
INSERT INTO c VALUES (1,'a "quoted", text',1.50,TIMESTAMP '2020-01-02 03:04:05.678'),(2,CAST(NULL AS STRING),CAST(NULL AS DECIMAL(10,2)),CAST(NULL AS TIMESTAMP(3)));
SELECT * FROM c;
SELECT * FROM c_raw;
CREATE TEMPORARY TABLE u (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='fmt_upsert','properties.bootstrap.servers'='127.0.0.1:19092','key.format'='json','value.format'='json');
CREATE TEMPORARY TABLE u_raw (`key` STRING, `value` STRING) WITH ('connector'='kafka','topic'='fmt_upsert','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','key.format'='raw','key.fields'='key','value.format'='raw','value.fields-include'='EXCEPT_KEY');
INSERT INTO u SELECT k, COUNT(*) FROM (VALUES ('a'),('b'),('a')) AS t(k) GROUP BY k;
SELECT * FROM u_raw;
-- @run 6s
SELECT * FROM u;
CREATE TEMPORARY TABLE dz (k STRING, n BIGINT) WITH ('connector'='kafka','topic'='fmt_debezium','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='debezium-json');
CREATE TEMPORARY TABLE dz_raw (line STRING) WITH ('connector'='kafka','topic'='fmt_debezium','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='raw');
INSERT INTO dz SELECT k, COUNT(*) FROM (VALUES ('a'),('b'),('a')) AS t(k) GROUP BY k;
SELECT * FROM dz_raw;
SELECT * FROM dz;
CREATE TEMPORARY TABLE av (id INT, name STRING, ts TIMESTAMP(3)) WITH ('connector'='kafka','topic'='fmt_avro','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='avro');
CREATE TEMPORARY TABLE av_raw (line BYTES) WITH ('connector'='kafka','topic'='fmt_avro','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','scan.bounded.mode'='latest-offset','format'='raw');
INSERT INTO av VALUES (1,'ann',TIMESTAMP '2020-01-02 03:04:05.678'),(2,CAST(NULL AS STRING),CAST(NULL AS TIMESTAMP(3)));
SELECT * FROM av;
SELECT * FROM av_raw;
-- @script kafka/word_count.sql
-- Needs: kafka-broker --port 19092; kafka-topic --port 19092 create words 2; printf 'a\nb\na\n' | kafka-topic --port 19092 produce words
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
CREATE TEMPORARY TABLE kafka_words (word STRING, `partition` INT METADATA VIRTUAL, `offset` BIGINT METADATA VIRTUAL) WITH ('connector'='kafka','topic'='words','properties.bootstrap.servers'='127.0.0.1:19092','scan.startup.mode'='earliest-offset','format'='csv');
CREATE TABLE c.`default`.word_table (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE c.`default`.word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
SET 'execution.checkpointing.interval' = '1 h';
-- @start ingest
INSERT INTO c.`default`.word_table SELECT word FROM kafka_words;
SET 'pipeline.name' = 'job1';
-- @start job1
INSERT INTO c.`default`.word_count_table SELECT word, count(*) FROM c.`default`.word_table GROUP BY word;
-- @checkpoint
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM c.`default`.word_table ORDER BY word;
SELECT * FROM c.`default`.word_count_table ORDER BY word;
-- @snapshots default.word_table
-- @snapshots default.word_count_table
-- @script queries/01_joins.sql 17
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW l AS SELECT * FROM (VALUES (1,'a'),(2,'b'),(2,'bb'),(CAST(NULL AS INT),'n')) AS t(id, lv);
CREATE TEMPORARY VIEW r AS SELECT * FROM (VALUES (2,'x'),(3,'y'),(CAST(NULL AS INT),'z')) AS t(id, rv);
SELECT l.id, lv, rv FROM l INNER JOIN r ON l.id = r.id;
SELECT l.id, lv, r.id, rv FROM l LEFT JOIN r ON l.id = r.id;
SELECT l.id, lv, r.id, rv FROM l RIGHT JOIN r ON l.id = r.id;
SELECT l.id, lv, r.id, rv FROM l FULL OUTER JOIN r ON l.id = r.id;
SELECT lv, rv FROM l CROSS JOIN r;
SELECT lv, rv FROM l, r WHERE l.id = r.id;
SELECT * FROM l JOIN r USING (id);
SELECT * FROM l FULL JOIN r USING (id);
SELECT * FROM l NATURAL JOIN r;
SELECT lv, rv FROM l JOIN r ON l.id IS NOT DISTINCT FROM r.id;
SELECT lv, rv FROM l JOIN r ON l.id < r.id;
SELECT lv, rv FROM l LEFT JOIN r ON l.id = r.id AND rv = 'nope';
SELECT lv, rv FROM l FULL JOIN r ON l.id < r.id;
SELECT * FROM l JOIN r ON l.id = r.id;
-- @script queries/02_semi_anti.sql 18
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW l AS SELECT * FROM (VALUES (1),(2),(CAST(NULL AS INT))) AS t(x);
CREATE TEMPORARY VIEW r AS SELECT * FROM (VALUES (2),(3)) AS t(y);
CREATE TEMPORARY VIEW rn AS SELECT * FROM (VALUES (2),(CAST(NULL AS INT))) AS t(y);
CREATE TEMPORARY VIEW re AS SELECT y FROM r WHERE y > 100;
SELECT x FROM l WHERE x IN (SELECT y FROM r);
SELECT x FROM l WHERE x NOT IN (SELECT y FROM r);
SELECT x FROM l WHERE x IN (SELECT y FROM rn);
SELECT x FROM l WHERE x NOT IN (SELECT y FROM rn);
SELECT x FROM l WHERE x NOT IN (SELECT y FROM re);
SELECT x FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.y = l.x);
SELECT x FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.y = l.x);
SELECT x, x IN (SELECT y FROM rn) FROM l;
SELECT x FROM l WHERE x > ANY (SELECT y FROM r);
SELECT x FROM l WHERE x <= ALL (SELECT y FROM r);
SELECT x FROM l WHERE x = SOME (SELECT y FROM r);
SELECT x FROM l WHERE (x, x) IN (SELECT y, y FROM r);
SELECT x FROM l WHERE x IN (SELECT y FROM r) OR x = 1;
-- @script queries/03_subqueries.sql 14
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW o AS SELECT * FROM (VALUES (1,10),(2,20),(3,30)) AS t(id, v);
CREATE TEMPORARY VIEW i AS SELECT * FROM (VALUES (1,5),(1,7),(2,9)) AS t(oid, w);
SELECT id, (SELECT MAX(w) FROM i WHERE i.oid = o.id) AS m FROM o;
SELECT id, (SELECT COUNT(*) FROM i WHERE i.oid = o.id) AS c FROM o;
SELECT id, (SELECT SUM(w) FROM i) AS s FROM o;
SELECT id, (SELECT w FROM i WHERE i.oid = 1) FROM o;
SELECT id, (SELECT w FROM i WHERE i.oid = 99) FROM o;
SELECT id FROM o WHERE v > (SELECT AVG(v) FROM o);
SELECT id FROM o WHERE v > (SELECT SUM(w) FROM i WHERE i.oid = o.id);
SELECT o.id, t.w FROM o, LATERAL (SELECT w FROM i WHERE i.oid = o.id) AS t;
SELECT o.id, t.w FROM o LEFT JOIN LATERAL (SELECT MAX(w) AS w FROM i WHERE i.oid = o.id) AS t ON TRUE;
SELECT o.id, t.w FROM o, LATERAL (SELECT w FROM i WHERE i.oid = o.id ORDER BY w DESC LIMIT 1) AS t;
SELECT * FROM (SELECT id, v FROM o) AS s(a, b) WHERE a = 1;
-- @script queries/04_set_operations.sql 16
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW a AS SELECT * FROM (VALUES (1),(1),(1),(2),(CAST(NULL AS INT)),(CAST(NULL AS INT))) AS t(x);
CREATE TEMPORARY VIEW b AS SELECT * FROM (VALUES (1),(1),(3),(CAST(NULL AS INT))) AS t(x);
SELECT x FROM a UNION SELECT x FROM b;
SELECT x FROM a UNION ALL SELECT x FROM b;
SELECT x FROM a INTERSECT SELECT x FROM b;
SELECT x FROM a INTERSECT ALL SELECT x FROM b;
SELECT x FROM a EXCEPT SELECT x FROM b;
SELECT x FROM a EXCEPT ALL SELECT x FROM b;
SELECT x FROM a MINUS SELECT x FROM b;
SELECT 1 UNION ALL SELECT 2.5;
SELECT 1 UNION ALL SELECT 'a';
SELECT 'a' UNION ALL SELECT 'bcd';
SELECT 1 AS x UNION SELECT 2 AS y;
SELECT 1 UNION SELECT 2 INTERSECT SELECT 2;
(SELECT x FROM a UNION ALL SELECT x FROM b) ORDER BY x LIMIT 3;
-- @script queries/05_order_limit.sql 17
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (3,'c'),(1,'a'),(CAST(NULL AS INT),'n'),(2,'b')) AS v(x, y);
SELECT x FROM t ORDER BY x;
SELECT x FROM t ORDER BY x DESC;
SELECT x FROM t ORDER BY x ASC NULLS LAST;
SELECT x FROM t ORDER BY x DESC NULLS FIRST;
SELECT x FROM t ORDER BY x LIMIT 2;
SELECT x FROM t ORDER BY x LIMIT 2 OFFSET 1;
SELECT x FROM t ORDER BY x OFFSET 2 ROWS FETCH NEXT 1 ROWS ONLY;
SELECT x FROM t ORDER BY 1;
SELECT y AS z FROM t ORDER BY z DESC;
SELECT y FROM t ORDER BY x + 1;
SELECT x FROM t LIMIT 0;
SELECT x FROM (SELECT x FROM t ORDER BY x LIMIT 2) AS s ORDER BY x DESC;
SELECT s FROM (VALUES ('b'),('A'),('a'),(''),('Z')) AS v(s) ORDER BY s;
SELECT d FROM (VALUES (CAST('NaN' AS DOUBLE)),(1e0),(CAST('-Infinity' AS DOUBLE)),(CAST(NULL AS DOUBLE))) AS v(d) ORDER BY d;
SELECT b FROM (VALUES (TRUE),(FALSE),(CAST(NULL AS BOOLEAN))) AS v(b) ORDER BY b;
-- @script queries/06_windows_tumble.sql 7
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW e AS SELECT * FROM (VALUES (TIMESTAMP '2020-01-01 00:00:01','a',1),(TIMESTAMP '2020-01-01 00:04:59','a',2),(TIMESTAMP '2020-01-01 00:05:00','b',3),(TIMESTAMP '2020-01-01 00:11:00','a',4),(CAST(NULL AS TIMESTAMP(0)),'a',9)) AS t(ts, k, x);
SELECT window_start, window_end, window_time, SUM(x) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, window_time;
SELECT window_start, window_end, k, SUM(x) AS s FROM TABLE(TUMBLE(DATA => TABLE e, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, k;
SELECT * FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' MINUTES));
SELECT window_start, SUM(x) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' MINUTES, INTERVAL '1' MINUTES)) GROUP BY window_start, window_end;
SELECT TUMBLE_START(ts, INTERVAL '5' MINUTE) AS ws, TUMBLE_END(ts, INTERVAL '5' MINUTE) AS we, COUNT(*) AS c FROM e GROUP BY TUMBLE(ts, INTERVAL '5' MINUTE);
-- @script queries/07_windows_hop_cumulate_session.sql 9
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW e AS SELECT * FROM (VALUES (TIMESTAMP '2020-01-01 00:00:01','a',1),(TIMESTAMP '2020-01-01 00:04:59','a',2),(TIMESTAMP '2020-01-01 00:05:00','b',3),(TIMESTAMP '2020-01-01 00:11:00','a',4)) AS t(ts, k, x);
SELECT window_start, window_end, SUM(x) AS s FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, window_end, SUM(x) AS s FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '4' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, window_end, SUM(x) AS s FROM TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, window_end, SUM(x) AS s FROM TABLE(SESSION(TABLE e, DESCRIPTOR(ts), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, window_end, k, SUM(x) AS s FROM TABLE(SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' MINUTES)) GROUP BY window_start, window_end, k;
SELECT HOP_START(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) AS s, COUNT(*) AS c FROM e GROUP BY HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE);
SELECT SESSION_START(ts, INTERVAL '5' MINUTE) AS s, SESSION_END(ts, INTERVAL '5' MINUTE) AS f, k, COUNT(*) AS c FROM e GROUP BY SESSION(ts, INTERVAL '5' MINUTE), k;
-- @script queries/08_over.sql 11
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a',1,10),('a',2,20),('a',2,25),('a',3,CAST(NULL AS INT)),('b',1,5)) AS v(k, o, x);
SELECT k, o, x, ROW_NUMBER() OVER (PARTITION BY k ORDER BY o, x) AS rn, RANK() OVER (PARTITION BY k ORDER BY o) AS rk, DENSE_RANK() OVER (PARTITION BY k ORDER BY o) AS dr FROM t;
SELECT k, o, x, SUM(x) OVER (PARTITION BY k ORDER BY o) AS s_range, SUM(x) OVER (PARTITION BY k ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s_rows FROM t;
SELECT k, o, x, SUM(x) OVER (PARTITION BY k ORDER BY o, x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s, COUNT(x) OVER (PARTITION BY k) AS c FROM t;
SELECT k, o, x, LAG(x) OVER (PARTITION BY k ORDER BY o, x) AS lg, LEAD(x, 2, -1) OVER (PARTITION BY k ORDER BY o, x) AS ld, FIRST_VALUE(x) OVER (PARTITION BY k ORDER BY o, x) AS fv, LAST_VALUE(x) OVER (PARTITION BY k ORDER BY o, x) AS lv FROM t;
SELECT k, o, SUM(x) OVER w AS s FROM t WINDOW w AS (PARTITION BY k ORDER BY o RANGE BETWEEN 1 PRECEDING AND CURRENT ROW);
SELECT k, o, SUM(SUM(x)) OVER (ORDER BY k, o) AS s FROM t GROUP BY k, o;
SELECT k, AVG(x) OVER (PARTITION BY k) AS a, MIN(x) OVER () AS m FROM t;
SELECT x, ROW_NUMBER() OVER (ORDER BY x) AS rn FROM t;
SELECT x, ROW_NUMBER() OVER (ORDER BY x DESC) AS rn FROM t;
-- @script queries/09_top_n_dedup.sql 7
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a','p',10),('a','q',20),('a','r',20),('b','p',5),('b','q',CAST(NULL AS INT))) AS v(k, n, x);
SELECT k, n, x, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC, n) AS rn FROM t) WHERE rn <= 2;
SELECT k, n, x FROM (SELECT *, RANK() OVER (PARTITION BY k ORDER BY x DESC) AS r FROM t) WHERE r = 1;
SELECT k, n, x FROM (SELECT *, DENSE_RANK() OVER (PARTITION BY k ORDER BY x) AS r FROM t) WHERE r <= 1;
SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS rn FROM t) WHERE rn = 1;
SELECT k, n, x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC, n) = 1;
-- @script queries/10_unnest.sql 8
SET 'execution.runtime-mode' = 'batch';
SELECT k, u FROM (VALUES ('a', ARRAY[1,2]),('b', CAST(NULL AS ARRAY<INT>))) AS t(k, arr) CROSS JOIN UNNEST(arr) AS x(u);
SELECT k, u FROM (VALUES ('a', ARRAY[1,2]),('b', CAST(NULL AS ARRAY<INT>))) AS t(k, arr) LEFT JOIN UNNEST(arr) AS x(u) ON TRUE;
SELECT k, mk, mv FROM (VALUES ('a', MAP['p',1,'q',2])) AS t(k, m) CROSS JOIN UNNEST(m) AS x(mk, mv);
SELECT k, f, g FROM (VALUES ('a', ARRAY[ROW(1,'x'),ROW(2,'y')])) AS t(k, arr) CROSS JOIN UNNEST(arr) AS x(f, g);
SELECT u, o FROM (VALUES (ARRAY['x','y'])) AS t(arr) CROSS JOIN UNNEST(arr) WITH ORDINALITY AS x(u, o);
SELECT * FROM UNNEST(ARRAY[1,2]);
SELECT u FROM (SELECT COLLECT(v) AS m FROM (VALUES (1),(1),(2)) AS z(v)) AS t CROSS JOIN UNNEST(m) AS x(u);
-- @script queries/11_values_with.sql 13
SET 'execution.runtime-mode' = 'batch';
VALUES (1, 'a'), (2, 'bcd');
SELECT * FROM (VALUES (1), (2.5)) AS t(x);
SELECT * FROM (VALUES ('a'), ('bcd')) AS t(x);
WITH c AS (SELECT 1 AS x), d AS (SELECT x + 1 AS x FROM c) SELECT * FROM c UNION ALL SELECT * FROM d;
WITH c(a, b) AS (VALUES (1, 2)) SELECT a, b FROM c;
WITH RECURSIVE c AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT * FROM c;
SELECT 1;
SELECT 1 AS a, 2 AS a;
SELECT 1, 2 + 3, 'x';
SELECT * FROM (SELECT 1 AS a, 2 AS b), (SELECT 3 AS a);
SELECT t.* FROM (SELECT 1 AS a, 2 AS b) AS t;
SELECT TRUE WHERE FALSE;
-- @script queries/12_identifiers.sql 16
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW `Mixed Case` AS SELECT 1 AS `Col`, 2 AS `col`, 3 AS `select`;
SELECT `Col`, `col`, `select` FROM `Mixed Case`;
SELECT Col FROM `Mixed Case`;
SELECT COL FROM `Mixed Case`;
SELECT * FROM `mixed case`;
SELECT "Col" FROM `Mixed Case`;
SELECT m.`Col` AS x FROM `Mixed Case` m;
SELECT 1 AS `a.b`, 2 AS `a``b`;
SELECT 1 AS value;
SELECT 1 AS `value`, 2 AS `date`;
SELECT 1 AS user;
SELECT 1 AS year;
SELECT 1 AS count;
SELECT 1 AS name;
SELECT 1 AS ts, 2 AS `timestamp`;
-- @script queries/13_paimon_time_travel.sql 19
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE t (k INT PRIMARY KEY NOT ENFORCED, v STRING) WITH ('bucket'='1');
INSERT INTO t VALUES (1,'a'),(2,'b');
INSERT INTO t VALUES (2,'B'),(3,'c');
CALL sys.create_tag(`table` => 'default.t', tag => 'one', snapshot_id => 1);
INSERT OVERWRITE t VALUES (9,'z');
SELECT * FROM t;
SELECT * FROM t /*+ OPTIONS('scan.snapshot-id'='1') */ ORDER BY k;
SELECT * FROM t /*+ OPTIONS('scan.snapshot-id'='2') */ ORDER BY k;
SELECT * FROM t /*+ OPTIONS('scan.tag-name'='one') */ ORDER BY k;
SELECT * FROM t /*+ OPTIONS('scan.version'='one') */ ORDER BY k;
SELECT * FROM t /*+ OPTIONS('incremental-between'='1,2') */ ORDER BY k;
SELECT * FROM t$audit_log /*+ OPTIONS('incremental-between'='1,2') */ ORDER BY k;
SELECT * FROM t /*+ OPTIONS('scan.snapshot-id'='99') */;
SELECT snapshot_id, schema_id, commit_identifier, commit_kind, total_record_count, delta_record_count FROM t$snapshots ORDER BY snapshot_id;
SELECT tag_name, snapshot_id FROM t$tags;
SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '1990-01-01 00:00:00';
-- @snapshots default.t
-- @script queries/14_paimon_dml.sql 22
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE t (k INT, dt STRING, v DECIMAL(10,2), PRIMARY KEY (k, dt) NOT ENFORCED) PARTITIONED BY (dt) WITH ('bucket'='1');
INSERT INTO t VALUES (1,'d1',1.555),(1,'d1',2),(2,'d2',CAST(NULL AS DECIMAL(10,2)));
SELECT * FROM t ORDER BY k;
INSERT INTO t (k, dt) VALUES (3,'d2');
INSERT INTO t PARTITION (dt='d3') SELECT 4, CAST(9 AS DECIMAL(10,2));
SELECT * FROM t ORDER BY k;
UPDATE t SET v = v + 1 WHERE k = 1;
DELETE FROM t WHERE k = 2;
SELECT * FROM t ORDER BY k;
INSERT OVERWRITE t PARTITION (dt='d2') VALUES (7, CAST(7 AS DECIMAL(10,2)));
SELECT * FROM t ORDER BY k;
INSERT INTO t VALUES (CAST(NULL AS INT),'d1',1);
INSERT INTO t VALUES ('x','d1',1);
INSERT INTO t VALUES (1,'d1');
INSERT INTO t SELECT 1;
INSERT INTO t VALUES (8,'d1','12.345');
SELECT * FROM t ORDER BY k;
TRUNCATE TABLE t;
SELECT COUNT(*) FROM t;
-- @snapshots default.t
-- @script queries/15_paimon_merge_engines.sql 20
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE pu (k INT PRIMARY KEY NOT ENFORCED, a INT, b STRING) WITH ('bucket'='1','merge-engine'='partial-update');
INSERT INTO pu VALUES (1, 1, CAST(NULL AS STRING));
INSERT INTO pu VALUES (1, CAST(NULL AS INT), 'x');
INSERT INTO pu (k, a) VALUES (1, 5);
SELECT * FROM pu;
CREATE TABLE ag (k INT PRIMARY KEY NOT ENFORCED, s INT, m INT, l STRING, c STRING) WITH ('bucket'='1','merge-engine'='aggregation','fields.s.aggregate-function'='sum','fields.m.aggregate-function'='max','fields.l.aggregate-function'='listagg');
INSERT INTO ag VALUES (1,1,1,'a','p'),(1,2,0,'b','q');
INSERT INTO ag VALUES (1,10,CAST(NULL AS INT),CAST(NULL AS STRING),CAST(NULL AS STRING));
SELECT * FROM ag;
CREATE TABLE fr (k INT PRIMARY KEY NOT ENFORCED, v STRING) WITH ('bucket'='1','merge-engine'='first-row');
INSERT INTO fr VALUES (1,'a');
INSERT INTO fr VALUES (1,'b'),(2,'c');
SELECT * FROM fr ORDER BY k;
CREATE TABLE sq (k INT PRIMARY KEY NOT ENFORCED, ts INT, v STRING) WITH ('bucket'='1','sequence.field'='ts');
INSERT INTO sq VALUES (1,5,'new');
INSERT INTO sq VALUES (1,3,'old'),(2,CAST(NULL AS INT),'n');
SELECT * FROM sq ORDER BY k;
-- @script queries/16_ddl.sql 35
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE DATABASE IF NOT EXISTS d COMMENT 'x';
USE d;
CREATE TABLE t (a INT NOT NULL COMMENT 'key', b STRING, c AS a + 1, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (a) NOT ENFORCED) COMMENT 'tbl' WITH ('bucket'='2');
DESCRIBE t;
SHOW CREATE TABLE t;
SHOW TABLES;
SHOW DATABASES;
SHOW COLUMNS FROM t;
ALTER TABLE t ADD (e DOUBLE, f ARRAY<INT>);
ALTER TABLE t MODIFY b STRING COMMENT 'new';
ALTER TABLE t RENAME e TO g;
ALTER TABLE t DROP f;
ALTER TABLE t SET ('snapshot.num-retained.max'='5');
ALTER TABLE t RESET ('snapshot.num-retained.max');
DESCRIBE t;
CREATE TABLE u LIKE t;
DESCRIBE u;
CREATE TABLE v LIKE t (EXCLUDING CONSTRAINTS EXCLUDING GENERATED);
CREATE TABLE w WITH ('primary-key'='x') AS SELECT 1 AS x, 'a' AS y;
DESCRIBE w;
SELECT * FROM w;
CREATE TABLE t (a INT);
DROP TABLE nope;
DROP TABLE IF EXISTS nope;
CREATE VIEW vw AS SELECT a FROM t;
SHOW VIEWS;
DESCRIBE vw;
SHOW CREATE VIEW vw;
DROP VIEW vw;
DROP DATABASE d;
DROP DATABASE d CASCADE;
SHOW CURRENT DATABASE;
-- @script queries/17_filesystem_csv.sql 10
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY TABLE people (id INT, name STRING, born DATE, score DOUBLE) WITH ('connector'='filesystem','path'='${HERE}/data/people.csv','format'='csv','csv.null-literal'='NULL','csv.ignore-parse-errors'='true');
SELECT * FROM people ORDER BY id;
SELECT EXTRACT(YEAR FROM born) AS y, COUNT(*) AS c, AVG(score) AS a FROM people GROUP BY EXTRACT(YEAR FROM born) ORDER BY y;
SELECT p.name, q.name FROM people p JOIN people q ON p.born < q.born AND p.score > q.score ORDER BY p.name, q.name;
SELECT name FROM people WHERE name LIKE 'A%' OR score IS NULL ORDER BY name;
CREATE TEMPORARY TABLE people_json (id INT, name STRING, tags ARRAY<STRING>, props MAP<STRING, INT>, nested ROW<a INT, b STRING>) WITH ('connector'='filesystem','path'='${HERE}/data/people.json','format'='json');
SELECT * FROM people_json ORDER BY id;
SELECT id, tag FROM people_json CROSS JOIN UNNEST(tags) AS t(tag) ORDER BY id, tag;
SELECT id, nested.a, props['x'] FROM people_json ORDER BY id;
-- @script queries/18_match_recognize.sql 3
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (TIMESTAMP '2020-01-01 00:00:01', 10),(TIMESTAMP '2020-01-01 00:00:02', 8),(TIMESTAMP '2020-01-01 00:00:03', 12)) AS v(ts, p);
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(D.p) AS low, LAST(U.p) AS high ONE ROW PER MATCH PATTERN (S D+ U+) DEFINE D AS p < PREV(p), U AS p > PREV(p));
-- @script queries/19_implicit_casts.sql 11
SET 'execution.runtime-mode' = 'batch';
SELECT x, y FROM (VALUES (1, 2)) AS t(x, y) WHERE x = '1';
SELECT x FROM (VALUES ('1'),('2')) AS t(x) WHERE x = 1;
SELECT x FROM (VALUES ('1'),('x')) AS t(x) WHERE x > 1;
SELECT l.x FROM (VALUES (1)) AS l(x) JOIN (VALUES ('1')) AS r(y) ON l.x = r.y;
SELECT l.x FROM (VALUES (1)) AS l(x) JOIN (VALUES (CAST(1 AS BIGINT))) AS r(y) ON l.x = r.y;
SELECT l.x FROM (VALUES (1)) AS l(x) JOIN (VALUES (1.0)) AS r(y) ON l.x = r.y;
SELECT x || y FROM (VALUES ('a', 1)) AS t(x, y);
SELECT SUM(x) FROM (VALUES ('1'),('2')) AS t(x);
SELECT AVG(x) FROM (VALUES (TRUE)) AS t(x);
SELECT MAX(x) FROM (VALUES (ARRAY[1])) AS t(x);
-- @script queries/20_tpch_like.sql 6
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW li AS SELECT * FROM (VALUES (1,'A','F',CAST(17.00 AS DECIMAL(15,2)),CAST(21168.23 AS DECIMAL(15,2)),CAST(0.04 AS DECIMAL(15,2)),CAST(0.02 AS DECIMAL(15,2)),DATE '1996-03-13'),(2,'N','O',CAST(36.00 AS DECIMAL(15,2)),CAST(45983.16 AS DECIMAL(15,2)),CAST(0.09 AS DECIMAL(15,2)),CAST(0.06 AS DECIMAL(15,2)),DATE '1996-04-12'),(3,'N','O',CAST(8.00 AS DECIMAL(15,2)),CAST(13309.60 AS DECIMAL(15,2)),CAST(0.10 AS DECIMAL(15,2)),CAST(0.02 AS DECIMAL(15,2)),DATE '1998-12-01')) AS t(k, rf, ls, qty, price, disc, tax, ship);
SELECT rf, ls, SUM(qty) AS sum_qty, SUM(price) AS sum_base, SUM(price * (1 - disc)) AS sum_disc, SUM(price * (1 - disc) * (1 + tax)) AS sum_charge, AVG(qty) AS avg_qty, AVG(price) AS avg_price, AVG(disc) AS avg_disc, COUNT(*) AS n FROM li WHERE ship <= DATE '1998-12-01' - INTERVAL '90' DAY GROUP BY rf, ls ORDER BY rf, ls;
SELECT SUM(price * disc) AS revenue FROM li WHERE disc BETWEEN 0.03 AND 0.1 AND qty < 24;
SELECT 100.00 * SUM(CASE WHEN rf LIKE 'N%' THEN price * (1 - disc) ELSE 0 END) / SUM(price * (1 - disc)) AS promo FROM li;
SELECT SUM(price) / 7.0 AS avg_yearly FROM li WHERE qty < (SELECT 0.5 * AVG(qty) * 2 FROM li);
-- @script queries/21_explain.sql 4
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES (1,'a')) AS v(x, y);
EXPLAIN SELECT x, COUNT(*) FROM t GROUP BY x;
EXPLAIN PLAN FOR SELECT x FROM t;
-- @script queries/22_show_functions.sql 4
SET 'execution.runtime-mode' = 'batch';
SHOW FUNCTIONS;
SHOW MODULES;
SHOW CATALOGS;
-- @script queries/23_errors.sql 19
SET 'execution.runtime-mode' = 'batch';
SELECT nope FROM (VALUES (1)) AS t(x);
SELECT * FROM nope;
SELEC 1;
SELECT 1 +;
SELECT x FROM (VALUES (1)) AS t(x) WHERE x;
SELECT x, SUM(x) FROM (VALUES (1)) AS t(x);
SELECT * FROM (VALUES (1), (1, 2)) AS t(x);
SELECT CAST('a' AS NOPE);
SELECT 1 FROM (VALUES (1)) AS t(x) ORDER BY nope;
INSERT INTO nope VALUES (1);
SELECT a.x FROM (VALUES (1)) AS t(x);
SELECT x FROM (VALUES (1)) AS t(x), (VALUES (2)) AS u(x);
USE CATALOG nope;
USE nope;
SET 'execution.runtime-mode' = 'nope';
SELECT * FROM (VALUES (1)) AS t(x) WHERE SUM(x) > 1;
SELECT ROW_NUMBER() OVER () FROM (VALUES (1)) AS t(x);
SELECT COUNT(*) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (VALUES (1),(2)) AS t(x);
-- @script queries/24_subqueries_on_tables.sql 32
SET 'execution.runtime-mode' = 'batch';
-- Correlated subqueries over VALUES fail in Flink's planner; over tables they work.
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE o (id INT, v INT);
CREATE TABLE i (oid INT, w INT);
INSERT INTO o VALUES (1,10),(2,20),(3,30),(CAST(NULL AS INT),40);
INSERT INTO i VALUES (1,5),(1,7),(2,9),(9,CAST(NULL AS INT));
SELECT id, (SELECT MAX(w) FROM i WHERE i.oid = o.id) AS m FROM o;
SELECT id, (SELECT COUNT(*) FROM i WHERE i.oid = o.id) AS c FROM o;
SELECT id, (SELECT SUM(w) FROM i) AS s FROM o;
SELECT id, (SELECT w FROM i WHERE i.oid = 1) FROM o;
SELECT id, (SELECT w FROM i WHERE i.oid = 99) FROM o;
SELECT id FROM o WHERE v > (SELECT AVG(v) FROM o);
SELECT id FROM o WHERE v > (SELECT SUM(w) FROM i WHERE i.oid = o.id);
SELECT o.id, t.w FROM o, LATERAL (SELECT w FROM i WHERE i.oid = o.id) AS t;
SELECT o.id, t.w FROM o LEFT JOIN LATERAL (SELECT MAX(w) AS w FROM i WHERE i.oid = o.id) AS t ON TRUE;
SELECT o.id, t.w FROM o, LATERAL (SELECT w FROM i WHERE i.oid = o.id ORDER BY w DESC LIMIT 1) AS t;
SELECT id FROM o WHERE EXISTS (SELECT 1 FROM i WHERE i.oid = o.id);
SELECT id FROM o WHERE NOT EXISTS (SELECT 1 FROM i WHERE i.oid = o.id);
SELECT id FROM o WHERE EXISTS (SELECT 1 FROM i WHERE i.oid = o.id AND i.w > 6);
SELECT id FROM o WHERE id IN (SELECT oid FROM i);
SELECT id FROM o WHERE id NOT IN (SELECT oid FROM i);
SELECT id FROM o WHERE v NOT IN (SELECT w FROM i);
SELECT id FROM o WHERE id NOT IN (SELECT oid FROM i WHERE oid > 100);
SELECT id FROM o WHERE id NOT IN (SELECT w FROM i WHERE i.oid = o.id);
SELECT id, id IN (SELECT oid FROM i) AS f FROM o;
SELECT id FROM o WHERE id > ANY (SELECT oid FROM i);
SELECT id FROM o WHERE id <= ALL (SELECT oid FROM i);
SELECT id FROM o WHERE id = SOME (SELECT oid FROM i);
SELECT id FROM o WHERE id IN (SELECT oid FROM i) OR v = 30;
SELECT id FROM o WHERE EXISTS (SELECT 1 FROM i WHERE i.oid = o.id) OR v = 40;
SELECT id FROM o WHERE NOT EXISTS (SELECT 1 FROM i WHERE i.oid <> o.id);
-- @script queries/25_over_functions.sql 15
SET 'execution.runtime-mode' = 'batch';
CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES ('a',1,10),('a',2,20),('a',2,25),('a',3,CAST(NULL AS INT)),('b',1,5)) AS v(k, o, x);
SELECT k, o, x, LAG(x) OVER (PARTITION BY k ORDER BY o, x) AS lg FROM t;
SELECT k, o, x, LEAD(x) OVER (PARTITION BY k ORDER BY o, x) AS ld FROM t;
SELECT k, o, x, LAG(x, 2) OVER (PARTITION BY k ORDER BY o, x) AS lg FROM t;
SELECT k, o, x, LAG(x, 1, 0) OVER (PARTITION BY k ORDER BY o, x) AS lg FROM t;
SELECT k, o, x, FIRST_VALUE(x) OVER (PARTITION BY k ORDER BY o, x) AS fv, LAST_VALUE(x) OVER (PARTITION BY k ORDER BY o, x) AS lv FROM t;
SELECT k, o, x, LAST_VALUE(x) OVER (PARTITION BY k ORDER BY o, x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS lv FROM t;
SELECT k, o, NTILE(2) OVER (PARTITION BY k ORDER BY o, x) AS nt FROM t;
SELECT k, o, PERCENT_RANK() OVER (PARTITION BY k ORDER BY o) AS pr FROM t;
SELECT k, o, CUME_DIST() OVER (PARTITION BY k ORDER BY o) AS cd FROM t;
SELECT k, o, SUM(x) OVER (PARTITION BY k ORDER BY o RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t;
SELECT k, o, COUNT(*) OVER (PARTITION BY k ORDER BY o) AS c FROM t;
SELECT k, o, SUM(s) OVER (ORDER BY k, o) AS r FROM (SELECT k, o, SUM(x) AS s FROM t GROUP BY k, o);
SELECT k, NTH_VALUE(x, 2) OVER (PARTITION BY k ORDER BY o) AS n FROM t;
-- @script queries/26_empty_inputs.sql 12
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE e (x INT, s STRING);
SELECT * FROM e;
SELECT COUNT(*), SUM(x), MIN(s), LISTAGG(s), COLLECT(x) FROM e;
SELECT x, COUNT(*) FROM e GROUP BY x;
SELECT x FROM e ORDER BY x LIMIT 1;
SELECT JSON_ARRAYAGG(x), JSON_OBJECTAGG(KEY s VALUE x) FROM e;
SELECT COUNT(*) FROM e GROUP BY ROLLUP(x);
SELECT e.x, f.x FROM e FULL JOIN (VALUES (1)) AS f(x) ON e.x = f.x;
SELECT * FROM e UNION ALL SELECT 1, 'a';
-- @script queries/27_type_matrix_paimon.sql 22
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE t (b BOOLEAN, t1 TINYINT, s2 SMALLINT, i4 INT, i8 BIGINT, f4 FLOAT, f8 DOUBLE, d1 DECIMAL(5,2), d2 DECIMAL(38,18), c CHAR(3), v VARCHAR(5), s STRING, bi BINARY(2), vb VARBINARY(4), by BYTES, dt DATE, tm TIME(3), ts0 TIMESTAMP(0), ts3 TIMESTAMP(3), ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), tl3 TIMESTAMP_LTZ(3), tl6 TIMESTAMP_LTZ(6), a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>, ms MULTISET<STRING>);
CREATE TABLE t (b BOOLEAN, t1 TINYINT, s2 SMALLINT, i4 INT, i8 BIGINT, f4 FLOAT, f8 DOUBLE, d1 DECIMAL(5,2), d2 DECIMAL(38,18), c CHAR(3), v VARCHAR(5), s STRING, bi BINARY(2), vb VARBINARY(4), `by` BYTES, dt DATE, tm TIME(3), ts0 TIMESTAMP(0), ts3 TIMESTAMP(3), ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), tl3 TIMESTAMP_LTZ(3), tl6 TIMESTAMP_LTZ(6), a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>);
DESCRIBE t;
INSERT INTO t VALUES (TRUE, CAST(1 AS TINYINT), CAST(2 AS SMALLINT), 3, CAST(4 AS BIGINT), CAST(1.5 AS FLOAT), CAST('NaN' AS DOUBLE), 1.25, 123.456, 'abc', 'hello', 'text', x'0102', x'0a', x'ff', DATE '2020-02-29', TIME '01:02:03.456', TIMESTAMP '2020-01-02 03:04:05', TIMESTAMP '2020-01-02 03:04:05.678', TIMESTAMP '2020-01-02 03:04:05.678901', TIMESTAMP '2020-01-02 03:04:05.678901234', CAST(TIMESTAMP '2020-01-02 03:04:05.678' AS TIMESTAMP_LTZ(3)), CAST(TIMESTAMP '2020-01-02 03:04:05.678901' AS TIMESTAMP_LTZ(6)), ARRAY[1,NULL], MAP['k',1], ROW(1,'z'));
INSERT INTO t (s) VALUES ('only');
SELECT * FROM t ORDER BY s DESC;
INSERT INTO t (c, v) VALUES ('a', 'b'), ('abcdef', 'abcdefgh');
SELECT c, v, CHAR_LENGTH(c), CHAR_LENGTH(v) FROM t WHERE s IS NULL;
SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';
INSERT INTO t (c, v, i4) VALUES ('a', 'b', 100), ('abcdef', 'abcdefgh', 100);
SELECT c, v, CHAR_LENGTH(c), CHAR_LENGTH(v) FROM t WHERE i4 = 100;
INSERT INTO t (d1) VALUES (123456.789);
INSERT INTO t (d1) SELECT CAST(x AS DECIMAL(10,3)) FROM (VALUES ('1.005')) AS q(x);
SELECT d1 FROM t WHERE d1 IS NOT NULL ORDER BY d1;
INSERT INTO t (ts3) SELECT CAST('2020-01-02 03:04:05.6789' AS TIMESTAMP(6));
SELECT ts3 FROM t WHERE ts3 IS NOT NULL ORDER BY ts3;
INSERT INTO t (i4) SELECT CAST(3000000000 AS BIGINT);
INSERT INTO t (t1) SELECT 300;
SELECT i4, t1 FROM t WHERE s IS NULL AND c IS NULL ORDER BY i4, t1;
-- @script queries/28_partitions_and_branches.sql 22
SET 'execution.runtime-mode' = 'batch';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE t (dt STRING, k INT, v STRING, PRIMARY KEY (dt, k) NOT ENFORCED) PARTITIONED BY (dt) WITH ('bucket'='1');
INSERT INTO t VALUES ('d1',1,'a'),('d2',2,'b');
CALL sys.create_tag('default.t', 't1', 1);
CALL sys.create_branch('default.t', 'b1', 't1');
INSERT INTO `t$branch_b1` VALUES ('d1',1,'branch'),('d3',3,'new');
SELECT * FROM t ORDER BY dt, k;
SELECT * FROM `t$branch_b1` ORDER BY dt, k;
SELECT branch_name FROM t$branches;
SHOW PARTITIONS t;
CALL sys.fast_forward('default.t', 'b1');
SELECT * FROM t ORDER BY dt, k;
ALTER TABLE t DROP PARTITION (dt='d2');
SELECT * FROM t ORDER BY dt, k;
CALL sys.rollback_to('default.t', 1);
CALL sys.rollback_to(`table` => 'default.t', snapshot_id => cast(1 as bigint));
SELECT * FROM t ORDER BY dt, k;
-- @snapshots default.t
SELECT file_path IS NOT NULL AS has_path, level, record_count FROM t$files ORDER BY level;
SELECT `option`, `value` FROM t$options;
SELECT schema_id, fields, partition_keys, primary_keys FROM t$schemas;
-- @script streaming/01_word_count.sql
SET 'execution.runtime-mode' = 'streaming';
-- The use case of the lineage proposal: append source, count per word into a primary-key sink.
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE word_table (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
SET 'execution.checkpointing.interval' = '1 h';
SET 'pipeline.name' = 'job1';
-- @start job1
INSERT INTO word_count_table /*+ OPTIONS('commit.user-prefix'='job1') */ SELECT word, COUNT(*) FROM word_table GROUP BY word;
-- @checkpoint
SET 'execution.runtime-mode' = 'batch';
INSERT INTO word_table VALUES ('a'),('b'),('a');
-- @checkpoint
INSERT INTO word_table VALUES ('b'),('c');
INSERT INTO word_table VALUES ('c');
-- @checkpoint
-- @checkpoint
INSERT INTO word_table VALUES ('a');
-- @checkpoint
INSERT INTO word_table VALUES ('d');
-- @checkpoint
-- @stop
SELECT * FROM word_count_table ORDER BY word;
-- @snapshots default.word_table
-- @snapshots default.word_count_table
SELECT * FROM word_count_table /*+ OPTIONS('scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */ ORDER BY word;
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM word_count_table /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/02_word_count_lookup_changelog.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE word_table (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1','changelog-producer'='lookup','continuous.discovery-interval'='100 ms');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job1
INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word;
-- @checkpoint
SET 'execution.runtime-mode' = 'batch';
INSERT INTO word_table VALUES ('a'),('b'),('a');
-- @checkpoint
INSERT INTO word_table VALUES ('b'),('c');
-- @checkpoint
-- @stop
SELECT * FROM word_count_table ORDER BY word;
-- @snapshots default.word_count_table
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM word_count_table /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/03_savepoint_restart.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE word_table (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE wc (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
SET 'execution.checkpointing.interval' = '1 h';
-- @start one
INSERT INTO wc SELECT word, COUNT(*) FROM word_table GROUP BY word;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO word_table VALUES ('a'),('b');
SET 'execution.runtime-mode' = 'streaming';
-- @checkpoint
-- @stop with savepoint
SET 'execution.runtime-mode' = 'batch';
INSERT INTO word_table VALUES ('a');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.state-recovery.path' = '${SAVEPOINT}';
-- @start two
INSERT INTO wc SELECT word, COUNT(*) FROM word_table GROUP BY word;
RESET 'execution.state-recovery.path';
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM wc ORDER BY word;
-- @snapshots default.wc
-- @script streaming/04_restart_without_state.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE word_table (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE wc (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
SET 'execution.checkpointing.interval' = '1 h';
-- @start one
INSERT INTO wc SELECT word, COUNT(*) FROM word_table GROUP BY word;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO word_table VALUES ('a'),('b'),('a');
-- @checkpoint
-- @stop
INSERT INTO word_table VALUES ('c');
SET 'execution.runtime-mode' = 'streaming';
-- @start two
INSERT INTO wc SELECT word, COUNT(*) FROM word_table GROUP BY word;
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM wc ORDER BY word;
-- @snapshots default.wc
-- @script streaming/05_consumer_id.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE src (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE dst (word STRING) WITH ('bucket'='-1');
SET 'execution.checkpointing.interval' = '1 h';
-- @start one
INSERT INTO dst SELECT word FROM src /*+ OPTIONS('consumer-id'='job1','consumer.expiration-time'='1 h') */;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO src VALUES ('a');
INSERT INTO src VALUES ('b');
-- @checkpoint
SELECT * FROM src$consumers;
INSERT INTO src VALUES ('c');
-- @checkpoint
SELECT * FROM src$consumers;
-- @stop
INSERT INTO src VALUES ('d');
SET 'execution.runtime-mode' = 'streaming';
-- @start two
INSERT INTO dst SELECT word FROM src /*+ OPTIONS('consumer-id'='job1','consumer.expiration-time'='1 h') */;
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM dst ORDER BY word;
SELECT * FROM src$consumers;
-- @snapshots default.dst
-- @script streaming/06_aligned_source.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE src (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE wc (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
SET 'execution.runtime-mode' = 'batch';
INSERT INTO src VALUES ('a');
INSERT INTO src VALUES ('b'),('a');
INSERT INTO src VALUES ('c');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 h';
SET 'execution.checkpointing.timeout' = '2 min';
-- @start one
INSERT INTO wc SELECT word, COUNT(*) FROM src /*+ OPTIONS('source.checkpoint-align.enabled'='true','scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */ GROUP BY word;
-- @checkpoint
-- @checkpoint
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM wc ORDER BY word;
-- @snapshots default.wc
-- @script streaming/07_inner_join.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE o (id INT PRIMARY KEY NOT ENFORCED, cust INT, amt INT) WITH ('bucket'='1','changelog-producer'='lookup','continuous.discovery-interval'='100 ms');
CREATE TABLE k (cust INT PRIMARY KEY NOT ENFORCED, name STRING) WITH ('bucket'='1','changelog-producer'='lookup','continuous.discovery-interval'='100 ms');
CREATE TABLE j (id INT PRIMARY KEY NOT ENFORCED, name STRING, amt INT) WITH ('bucket'='1','changelog-producer'='input');
SET 'table.exec.sink.upsert-materialize' = 'NONE';
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO j SELECT o.id, k.name, o.amt FROM o JOIN k ON o.cust = k.cust;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO o VALUES (1,10,100),(2,20,200),(3,10,300);
INSERT INTO k VALUES (10,'ann');
-- @checkpoint
INSERT INTO k VALUES (20,'bob');
-- @checkpoint
INSERT INTO o VALUES (2,10,250);
-- @checkpoint
DELETE FROM k WHERE cust = 10;
-- @checkpoint
-- @stop
SELECT * FROM j ORDER BY id;
-- @snapshots default.j
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM j /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/08_left_join.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE o (id INT PRIMARY KEY NOT ENFORCED, cust INT) WITH ('bucket'='1','changelog-producer'='lookup','continuous.discovery-interval'='100 ms');
CREATE TABLE k (cust INT PRIMARY KEY NOT ENFORCED, name STRING) WITH ('bucket'='1','changelog-producer'='lookup','continuous.discovery-interval'='100 ms');
CREATE TABLE j (id INT PRIMARY KEY NOT ENFORCED, name STRING) WITH ('bucket'='1','changelog-producer'='input');
SET 'table.exec.sink.upsert-materialize' = 'NONE';
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO j SELECT o.id, k.name FROM o LEFT JOIN k ON o.cust = k.cust;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO o VALUES (1,10),(2,20);
-- @checkpoint
INSERT INTO k VALUES (10,'ann');
-- @checkpoint
INSERT INTO k VALUES (10,'ANN');
-- @checkpoint
DELETE FROM k WHERE cust = 10;
-- @checkpoint
-- @stop
SELECT * FROM j ORDER BY id;
-- @snapshots default.j
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM j /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/09_top_n.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (g STRING, n STRING, x INT) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE top2 (g STRING, rn BIGINT, n STRING, x INT, PRIMARY KEY (g, rn) NOT ENFORCED) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO top2 SELECT g, rn, n, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY x DESC) AS rn FROM s) WHERE rn <= 2;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('a','p',10);
-- @checkpoint
INSERT INTO s VALUES ('a','q',20);
-- @checkpoint
INSERT INTO s VALUES ('a','r',15),('b','z',1);
-- @checkpoint
INSERT INTO s VALUES ('a','low',1);
-- @checkpoint
-- @stop
SELECT * FROM top2 ORDER BY g, rn;
-- @snapshots default.top2
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM top2 /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/10_min_max_retraction.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (id INT PRIMARY KEY NOT ENFORCED, g STRING, x INT) WITH ('bucket'='1','changelog-producer'='lookup','continuous.discovery-interval'='100 ms');
CREATE TABLE a (g STRING PRIMARY KEY NOT ENFORCED, mn INT, mx INT, s INT, c BIGINT, d BIGINT) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO a SELECT g, MIN(x), MAX(x), SUM(x), COUNT(x), COUNT(DISTINCT x) FROM s GROUP BY g;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES (1,'a',1),(2,'a',5),(3,'a',5),(4,'b',CAST(NULL AS INT));
-- @checkpoint
DELETE FROM s WHERE id = 2;
-- @checkpoint
INSERT INTO s VALUES (3,'a',2);
-- @checkpoint
DELETE FROM s WHERE id IN (1, 3);
-- @checkpoint
DELETE FROM s WHERE id = 4;
-- @checkpoint
-- @stop
SELECT * FROM a ORDER BY g;
-- @snapshots default.a
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM a /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/11_upsert_source_without_changelog.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (id INT PRIMARY KEY NOT ENFORCED, g STRING, x INT) WITH ('bucket'='1','continuous.discovery-interval'='100 ms');
CREATE TABLE a (g STRING PRIMARY KEY NOT ENFORCED, s INT) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO a SELECT g, SUM(x) FROM s GROUP BY g;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES (1,'a',1),(2,'a',5);
-- @checkpoint
INSERT INTO s VALUES (1,'b',7);
-- @checkpoint
DELETE FROM s WHERE id = 2;
-- @checkpoint
-- @stop
SELECT * FROM a ORDER BY g;
-- @snapshots default.a
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM a /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @run 5s
SELECT * FROM s /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @run 5s
SELECT * FROM s /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms','scan.remove-normalize'='true') */;
-- @script streaming/12_partial_update_two_jobs.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE l (id INT, a INT) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE r (id INT, b STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE pu (id INT PRIMARY KEY NOT ENFORCED, a INT, b STRING) WITH ('bucket'='1','merge-engine'='partial-update','changelog-producer'='lookup');
SET 'execution.checkpointing.interval' = '1 h';
-- @start left
INSERT INTO pu (id, a) SELECT id, a FROM l;
-- @start right
INSERT INTO pu (id, b) SELECT id, b FROM r;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO l VALUES (1,10),(2,20);
-- @checkpoint
INSERT INTO r VALUES (1,'x');
-- @checkpoint
-- @stop
SELECT * FROM pu ORDER BY id;
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM pu /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/13_statement_set.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (word STRING, x INT) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE counts (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
CREATE TABLE big (word STRING, x INT);
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
EXECUTE STATEMENT SET BEGIN
INSERT INTO counts SELECT word, COUNT(*) FROM s GROUP BY word;
INSERT INTO big SELECT word, x FROM s WHERE x > 10;
END;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('a',1),('b',20);
-- @checkpoint
INSERT INTO s VALUES ('a',5);
-- @checkpoint
-- @stop
SELECT * FROM counts ORDER BY word;
SELECT * FROM big ORDER BY word;
-- @snapshots default.counts
-- @snapshots default.big
-- @script streaming/14_lookup_join.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE o (id INT, cust INT, pt AS PROCTIME()) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE k (cust INT PRIMARY KEY NOT ENFORCED, name STRING) WITH ('bucket'='1');
CREATE TABLE j (id INT, name STRING);
SET 'execution.runtime-mode' = 'batch';
INSERT INTO k VALUES (10,'ann');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO j SELECT o.id, k.name FROM o LEFT JOIN k /*+ OPTIONS('lookup.refresh.async'='false','continuous.discovery-interval'='100 ms') */ FOR SYSTEM_TIME AS OF o.pt ON o.cust = k.cust;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO o (id, cust) VALUES (1,10),(2,20);
-- @checkpoint
INSERT INTO k VALUES (20,'bob'),(10,'ANN');
-- @sleep 1
INSERT INTO o (id, cust) VALUES (3,20),(4,10);
-- @checkpoint
-- @stop
SELECT * FROM j ORDER BY id;
-- @snapshots default.j
-- @script streaming/15_tumbling_window_paimon.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE e (k STRING, x INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE w (ws TIMESTAMP(3), k STRING, s INT, c BIGINT, PRIMARY KEY (ws, k) NOT ENFORCED) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO w SELECT window_start, k, SUM(x), COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECONDS)) GROUP BY window_start, window_end, k;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO e VALUES ('a',1,TIMESTAMP '2020-01-01 00:00:01'),('a',2,TIMESTAMP '2020-01-01 00:00:09'),('b',3,TIMESTAMP '2020-01-01 00:00:12');
-- @checkpoint
INSERT INTO e VALUES ('a',4,TIMESTAMP '2020-01-01 00:00:03'),('b',5,TIMESTAMP '2020-01-01 00:00:16');
-- @checkpoint
INSERT INTO e VALUES ('a',100,TIMESTAMP '2020-01-01 00:00:04'),('b',6,TIMESTAMP '2020-01-01 00:00:30');
-- @checkpoint
-- @stop
SELECT * FROM w ORDER BY ws, k;
-- @snapshots default.w
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM w /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/16_dedup.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE e (k STRING, x INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE first_row (k STRING PRIMARY KEY NOT ENFORCED, x INT) WITH ('bucket'='1','changelog-producer'='input');
CREATE TABLE last_row (k STRING PRIMARY KEY NOT ENFORCED, x INT) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
EXECUTE STATEMENT SET BEGIN
INSERT INTO first_row SELECT k, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts ASC) AS rn FROM e) WHERE rn = 1;
INSERT INTO last_row SELECT k, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM e) WHERE rn = 1;
END;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO e VALUES ('a',1,TIMESTAMP '2020-01-01 00:00:05'),('b',2,TIMESTAMP '2020-01-01 00:00:06');
-- @checkpoint
INSERT INTO e VALUES ('a',3,TIMESTAMP '2020-01-01 00:00:07');
-- @checkpoint
INSERT INTO e VALUES ('a',4,TIMESTAMP '2020-01-01 00:00:01');
-- @checkpoint
-- @stop
SELECT * FROM first_row ORDER BY k;
SELECT * FROM last_row ORDER BY k;
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM last_row /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/17_append_sink_with_updates.sql
SET 'execution.runtime-mode' = 'streaming';
-- An updating query into an append-only table, and into a key that is not the query's key.
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE a (word STRING, cnt BIGINT);
CREATE TABLE p (other BIGINT PRIMARY KEY NOT ENFORCED, word STRING) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('a'),('b'),('a');
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '1 h';
-- @start append
INSERT INTO a SELECT word, COUNT(*) FROM s GROUP BY word;
-- @checkpoint
-- @stop
-- @run 4s
INSERT INTO p SELECT COUNT(*), word FROM s GROUP BY word;
SET 'table.exec.sink.upsert-materialize' = 'NONE';
-- @start other_key
INSERT INTO p SELECT COUNT(*), word FROM s GROUP BY word;
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM a ORDER BY word, cnt;
SELECT * FROM p ORDER BY other;
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 4s
SELECT * FROM p /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/18_changelog_aggregates.sql
SET 'execution.runtime-mode' = 'streaming';
SELECT k, COUNT(*) AS c, SUM(x) AS s, MIN(x) AS mn, MAX(x) AS mx, AVG(x) AS a FROM (VALUES ('a',1),('b',5),('a',2),('a',1),('b',CAST(NULL AS INT))) AS t(k,x) GROUP BY k;
SELECT COUNT(*) FROM (VALUES (1),(2),(3)) AS t(x);
SELECT COUNT(*) FROM (VALUES (1)) AS t(x) WHERE x > 5;
SELECT COUNT(DISTINCT x), LISTAGG(CAST(x AS STRING)) FROM (VALUES (1),(2),(1)) AS t(x);
SELECT c, COUNT(*) AS n FROM (SELECT k, COUNT(*) AS c FROM (VALUES ('a'),('b'),('a')) AS t(k) GROUP BY k) GROUP BY c;
SELECT k, SUM(x) AS s FROM (VALUES ('a',1),('a',-1),('a',5)) AS t(k,x) GROUP BY k HAVING SUM(x) > 0;
SELECT DISTINCT x FROM (VALUES (1),(2),(1)) AS t(x);
SELECT MAX(c) FROM (SELECT k, COUNT(*) AS c FROM (VALUES ('a'),('b'),('a')) AS t(k) GROUP BY k);
SELECT FIRST_VALUE(x), LAST_VALUE(x) FROM (VALUES (1),(2),(3)) AS t(x);
SELECT a, SUM(x) AS s FROM (VALUES ('p',1),('q',2),('p',3)) AS t(a,x) GROUP BY ROLLUP(a);
-- @script streaming/19_changelog_joins.sql
SET 'execution.runtime-mode' = 'streaming';
SELECT l.x, r.y FROM (VALUES (1,'a'),(2,'b')) AS l(x,k) JOIN (VALUES ('a',10),('b',20)) AS r(k,y) ON l.k = r.k;
SELECT x FROM (VALUES (1),(2),(3)) AS l(x) WHERE x IN (SELECT y FROM (VALUES (2),(3)) AS r(y));
SELECT a.k, a.c, b.d FROM (SELECT k, COUNT(*) AS c FROM (VALUES ('a'),('a')) AS t(k) GROUP BY k) a JOIN (SELECT k, COUNT(*) AS d FROM (VALUES ('a'),('a'),('a')) AS t(k) GROUP BY k) b ON a.k = b.k;
SELECT x FROM (VALUES (1),(1)) AS l(x) UNION ALL SELECT y FROM (VALUES (2)) AS r(y);
SELECT x FROM (VALUES (1),(1)) AS l(x) UNION SELECT y FROM (VALUES (1)) AS r(y);
-- @script streaming/20_changelog_top_n.sql
SET 'execution.runtime-mode' = 'streaming';
SELECT k, x, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC) AS rn FROM (VALUES ('a',1),('a',3),('a',2),('b',9)) AS t(k,x)) WHERE rn <= 2;
SELECT k, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC) AS rn FROM (VALUES ('a',1),('a',3),('a',2),('b',9)) AS t(k,x)) WHERE rn <= 2;
SELECT x FROM (VALUES (3),(1),(2)) AS t(x) ORDER BY x LIMIT 2;
SELECT x FROM (VALUES (3),(1),(2)) AS t(x) ORDER BY x;
SELECT x FROM (VALUES (3),(1),(2)) AS t(x) LIMIT 2;
SELECT x, SUM(x) OVER (ORDER BY x) AS s FROM (VALUES (3),(1),(2)) AS t(x);
SELECT x, RANK() OVER (ORDER BY x) AS r FROM (VALUES (3),(1)) AS t(x);
SELECT k, x FROM (SELECT *, RANK() OVER (PARTITION BY k ORDER BY x DESC) AS r FROM (VALUES ('a',1),('a',3)) AS t(k,x)) WHERE r <= 1;
-- @script streaming/21_changelog_windows.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE TEMPORARY TABLE e (id INT, k STRING, x INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='${HERE}/data/events.csv','format'='csv');
SELECT window_start, window_end, window_time, k, SUM(x) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECONDS)) GROUP BY window_start, window_end, window_time, k;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECONDS, INTERVAL '10' SECONDS)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECONDS, INTERVAL '10' SECONDS)) GROUP BY window_start, window_end;
SELECT window_start, window_end, k, COUNT(*) AS c FROM TABLE(SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECONDS)) GROUP BY window_start, window_end, k;
SELECT id, k, SUM(x) OVER (PARTITION BY k ORDER BY ts) AS s FROM e;
SELECT id, k, SUM(x) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '3' SECOND PRECEDING AND CURRENT ROW) AS s FROM e;
SELECT id, ts FROM e ORDER BY ts;
SELECT a.id, b.id FROM e a JOIN e b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '4' SECOND AND a.id <> b.id;
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY x DESC) AS rn FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECONDS))) WHERE rn <= 1;
SELECT l.window_start, l.k, l.c, r.m FROM (SELECT window_start, window_end, k, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECONDS)) GROUP BY window_start, window_end, k) l JOIN (SELECT window_start, window_end, k, MAX(x) AS m FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECONDS)) GROUP BY window_start, window_end, k) r ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end;
SELECT TUMBLE_START(ts, INTERVAL '10' SECOND) AS ws, COUNT(*) AS c FROM e GROUP BY TUMBLE(ts, INTERVAL '10' SECOND);
-- @script streaming/22_event_time_temporal_join.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE o (id INT, cur STRING, amt INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE r (cur STRING, rate INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (cur) NOT ENFORCED) WITH ('bucket'='1','changelog-producer'='input','continuous.discovery-interval'='100 ms');
CREATE TABLE j (id INT, v INT);
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO j SELECT o.id, o.amt * r.rate FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.cur = r.cur;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO r VALUES ('eur', 2, TIMESTAMP '2020-01-01 00:00:00');
INSERT INTO r VALUES ('eur', 3, TIMESTAMP '2020-01-01 00:00:10');
INSERT INTO o VALUES (1,'eur',10,TIMESTAMP '2020-01-01 00:00:05'),(2,'usd',10,TIMESTAMP '2020-01-01 00:00:06');
-- @checkpoint
INSERT INTO o VALUES (3,'eur',10,TIMESTAMP '2020-01-01 00:00:11');
INSERT INTO r VALUES ('eur', 4, TIMESTAMP '2020-01-01 00:00:20');
-- @checkpoint
INSERT INTO o VALUES (4,'eur',10,TIMESTAMP '2020-01-01 00:00:30');
INSERT INTO r VALUES ('gbp', 9, TIMESTAMP '2020-01-01 00:00:40');
-- @checkpoint
-- @stop
SELECT * FROM j ORDER BY id;
-- @snapshots default.j
-- @script streaming/23_empty_checkpoints_and_forced_snapshots.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE a (word STRING);
CREATE TABLE f (word STRING) WITH ('commit.force-create-snapshot'='true');
SET 'execution.checkpointing.interval' = '1 h';
-- @start plain
INSERT INTO a SELECT word FROM s;
-- @start forced
INSERT INTO f SELECT word FROM s;
-- @checkpoint
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('x');
-- @checkpoint
-- @checkpoint
-- @stop with savepoint
-- @snapshots default.a
-- @snapshots default.f
-- @script streaming/24_overwrite_and_compaction_in_source.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE d (word STRING);
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO d SELECT word FROM s;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('a');
-- @checkpoint
INSERT OVERWRITE s VALUES ('o');
-- @checkpoint
CALL sys.compact(`table` => 'default.s');
INSERT INTO s VALUES ('b');
-- @checkpoint
-- @stop
SELECT * FROM s ORDER BY word;
SELECT * FROM d ORDER BY word;
-- @snapshots default.s
-- @snapshots default.d
-- @script streaming/25_full_compaction_changelog.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (k INT, v STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE d (k INT PRIMARY KEY NOT ENFORCED, v STRING) WITH ('bucket'='1','changelog-producer'='full-compaction','full-compaction.delta-commits'='2','continuous.discovery-interval'='100 ms');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO d SELECT k, v FROM s;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES (1,'a');
-- @checkpoint
INSERT INTO s VALUES (1,'b'),(2,'c');
-- @checkpoint
INSERT INTO s VALUES (1,'d');
-- @checkpoint
INSERT INTO s VALUES (1,'e');
-- @checkpoint
-- @stop
SELECT * FROM d ORDER BY k;
-- @snapshots default.d
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM d /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
-- @script streaming/26_batch_job_facts.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (word STRING);
CREATE TABLE wc (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
INSERT INTO s VALUES ('a'),('b');
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('a');
INSERT INTO wc SELECT word, COUNT(*) FROM s GROUP BY word;
INSERT INTO wc SELECT word, COUNT(*) FROM s WHERE FALSE GROUP BY word;
INSERT INTO s SELECT * FROM s WHERE FALSE;
-- @snapshots default.s
-- @snapshots default.wc
-- @script streaming/27_lineage_debug.sql
SET 'execution.runtime-mode' = 'streaming';
-- Steps 2 and 3 of the lineage proposal's use case: job, debug run at a snapshot, difference.
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE word_table (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BITING);
CREATE TABLE word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT);
INSERT INTO word_table SELECT FROM x;
SET 'execution.checkpointing.interval' = '1 h';
SET 'pipeline.name'='job1';
-- @start job1
INSERT INTO word_count_table
    SELECT word, count(*) FROM word_table 
    GROUP BY word;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO word_table VALUES ('a'),('b'),('a');
-- @checkpoint
INSERT INTO word_table VALUES ('b');
-- @checkpoint
INSERT INTO word_table VALUES ('c'),('a');
-- @checkpoint
INSERT INTO word_table VALUES ('d');
-- @checkpoint
INSERT INTO word_table VALUES ('e');
-- @checkpoint
INSERT INTO word_table VALUES ('late');
-- @checkpoint
-- @stop
-- @snapshots default.word_table
-- @snapshots default.word_count_table
CREATE TABLE word_count_table_snapshot_result LIKE word_count_table;
CREATE TABLE word_count_table_snapshot_result LIKE word_count_table (EXCLUDING OPTIONS);
DESCRIBE word_count_table_snapshot_result;
INSERT INTO word_count_table_snapshot_result
    SELECT word, count(*)
    FROM word_table /*+ OPTIONS('scan.snapshot-id'='5') */
    GROUP BY word;
SELECT * FROM word_count_table_snapshot_result ORDER BY word;
SELECT * FROM word_count_table_snapshot_result as L 
    FULL OUTER JOIN word_count_table /*+ OPTIONS('scan.snapshot-id'='5') */ as R
    ON L.word=R.word
    where L.word IS NULL OR R.word IS NULL OR L.cnt != R.cnt;
SELECT * FROM word_count_table_snapshot_result as L 
    FULL OUTER JOIN word_count_table /*+ OPTIONS('scan.snapshot-id'='5') */ as R
    ON L.word=R.word
    where L.word IS NULL OR R.word IS NULL OR L.cnt <> R.cnt;
SELECT * FROM word_count_table_snapshot_result as L 
    FULL OUTER JOIN word_count_table /*+ OPTIONS('scan.snapshot-id'='6') */ as R
    ON L.word=R.word
    where L.word IS NULL OR R.word IS NULL OR L.cnt <> R.cnt;
SELECT * FROM word_count_table_snapshot_result as L 
    FULL OUTER JOIN word_count_table /*+ OPTIONS('scan.snapshot-id'='2') */ as R
    ON L.word=R.word
    where L.word IS NULL OR R.word IS NULL OR L.cnt <> R.cnt;
SELECT * FROM word_count_table_snapshot_result as L 
    FULL OUTER JOIN word_count_table /*+ OPTIONS('scan.snapshot-id'='7') */ as R
    ON L.word=R.word
    where L.word IS NULL OR R.word IS NULL OR L.cnt <> R.cnt;
-- @script streaming/28_null_key_fails_the_job.sql
SET 'execution.runtime-mode' = 'streaming';
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (word STRING) WITH ('continuous.discovery-interval'='100 ms');
CREATE TABLE wc (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO wc SELECT word, COUNT(*) FROM s GROUP BY word;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES ('a');
-- @checkpoint
INSERT INTO s VALUES ('b'),(CAST(NULL AS STRING));
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'streaming';
SET 'table.exec.sink.not-null-enforcer' = 'DROP';
-- @start job
INSERT INTO wc SELECT word, COUNT(*) FROM s GROUP BY word;
-- @checkpoint
-- @stop
SET 'execution.runtime-mode' = 'batch';
SELECT * FROM wc ORDER BY word;
-- @snapshots default.wc
-- @script streaming/29_mini_batch_and_ttl_settings.sql
SET 'execution.runtime-mode' = 'streaming';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '100';
SELECT k, COUNT(*) AS c FROM (VALUES ('a'),('b'),('a'),('a')) AS t(k) GROUP BY k;
SELECT c, COUNT(*) AS n FROM (SELECT k, COUNT(*) AS c FROM (VALUES ('a'),('b'),('a')) AS t(k) GROUP BY k) GROUP BY c;
SELECT k, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC) AS rn FROM (VALUES ('a',1),('a',3),('a',2)) AS t(k,x)) WHERE rn <= 1;
-- @script streaming/30_upsert_materialize_is_refused.sql
SET 'execution.runtime-mode' = 'streaming';
-- Without 'table.exec.sink.upsert-materialize' = 'NONE' this job fails: the join's key is not the sink's key.
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE o (id INT PRIMARY KEY NOT ENFORCED, cust INT) WITH ('bucket'='1','changelog-producer'='input');
CREATE TABLE k (cust INT PRIMARY KEY NOT ENFORCED, name STRING) WITH ('bucket'='1','changelog-producer'='input');
CREATE TABLE j (id INT PRIMARY KEY NOT ENFORCED, name STRING) WITH ('bucket'='1');
-- @run 5s
INSERT INTO j SELECT o.id, k.name FROM o JOIN k ON o.cust = k.cust;
-- @script streaming/31_input_changelog_is_trusted.sql
SET 'execution.runtime-mode' = 'streaming';
-- A source with changelog-producer = input that is fed plain upserts has no -U for replaced rows: sums go wrong.
CREATE CATALOG c WITH ('type'='paimon','warehouse'='${WORK}/wh');
USE CATALOG c;
CREATE TABLE s (id INT PRIMARY KEY NOT ENFORCED, g STRING, x INT) WITH ('bucket'='1','changelog-producer'='input','continuous.discovery-interval'='100 ms');
CREATE TABLE a (g STRING PRIMARY KEY NOT ENFORCED, mn INT, mx INT, s INT, c BIGINT, d BIGINT) WITH ('bucket'='1','changelog-producer'='input');
SET 'execution.checkpointing.interval' = '1 h';
-- @start job
INSERT INTO a SELECT g, MIN(x), MAX(x), SUM(x), COUNT(x), COUNT(DISTINCT x) FROM s GROUP BY g;
SET 'execution.runtime-mode' = 'batch';
INSERT INTO s VALUES (1,'a',1),(2,'a',5),(3,'a',5),(4,'b',CAST(NULL AS INT));
-- @checkpoint
DELETE FROM s WHERE id = 2;
-- @checkpoint
INSERT INTO s VALUES (3,'a',2);
-- @checkpoint
DELETE FROM s WHERE id IN (1, 3);
-- @checkpoint
DELETE FROM s WHERE id = 4;
-- @checkpoint
-- @stop
SELECT * FROM a ORDER BY g;
-- @snapshots default.a
SET 'execution.runtime-mode' = 'streaming';
RESET 'execution.checkpointing.interval';
-- @run 5s
SELECT * FROM a /*+ OPTIONS('scan.mode'='from-snapshot','scan.snapshot-id'='1','continuous.discovery-interval'='50 ms') */;
