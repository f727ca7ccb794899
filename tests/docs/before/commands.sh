# A key table `g.t`, and the warehouse `shop`: totals that a job made of orders, one of which changed afterwards.
braid sql --warehouse warehouse <<'SQL'
CREATE DATABASE g;
CREATE TABLE g.t (k INT PRIMARY KEY NOT ENFORCED, v STRING, n BIGINT) WITH ('bucket' = '1');
INSERT INTO g.t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4);
INSERT INTO g.t VALUES (2, 'b2', 20), (4, 'd2', 40);
INSERT INTO g.t VALUES (4, 'd3', 41), (5, CAST(NULL AS STRING), CAST(NULL AS BIGINT));
SQL
braid sql <<'SQL'
CREATE CATALOG shop WITH ('type' = 'paimon', 'warehouse' = 'shop', 'table-lineage' = 'true', 'data-lineage' = 'true');
USE CATALOG shop;
CREATE TABLE orders (id BIGINT PRIMARY KEY NOT ENFORCED, customer STRING, amount DECIMAL(10, 2));
CREATE TABLE totals (customer STRING PRIMARY KEY NOT ENFORCED, total DECIMAL(38, 2));
SET 'execution.runtime-mode' = 'batch';
INSERT INTO orders VALUES (1, 'ada', 19.90), (2, 'bob', 5.00), (3, 'ada', 7.10);
SET 'pipeline.name' = 'sum_up';
INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer;
RESET 'pipeline.name';
INSERT INTO orders VALUES (2, 'bob', 6.50);
SQL
# A job that was stopped with a savepoint.
braid sql <<'SQL'
CREATE CATALOG words WITH ('type' = 'paimon', 'warehouse' = 'words', 'table-lineage' = 'true', 'data-lineage' = 'true');
USE CATALOG words;
CREATE TABLE word_table (word STRING);
CREATE TABLE word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT);
INSERT INTO word_table VALUES ('to'), ('be');
SET 'pipeline.name' = 'job1';
SET 'execution.runtime-mode' = 'streaming';
INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word;
SQL
braid job wait job1 --caught-up
braid job stop job1 --savepoint
