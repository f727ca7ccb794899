# A key table with six snapshots and a tag on the last one, and a table with a partition a day.
braid sql --warehouse warehouse <<'SQL'
CREATE DATABASE shop;
CREATE TABLE shop.orders (id BIGINT PRIMARY KEY NOT ENFORCED, item STRING) WITH ('bucket' = '1');
INSERT INTO shop.orders VALUES (1, 'tea'), (2, 'milk');
INSERT INTO shop.orders VALUES (2, 'oat milk');
INSERT INTO shop.orders VALUES (3, 'rye bread');
INSERT INTO shop.orders VALUES (4, 'plums');
INSERT INTO shop.orders VALUES (3, 'white bread');
CREATE TABLE shop.visits (id BIGINT, `day` STRING) PARTITIONED BY (`day`) WITH ('bucket' = '-1');
INSERT INTO shop.visits VALUES (1, '2024-05-13'), (2, '2024-05-14'), (3, '2099-01-01'), (4, 'unknown');
SQL
braid tag create warehouse shop.orders latest
