# Orders, one of which is wrong.
braid sql --warehouse warehouse <<'SQL'
CREATE DATABASE sales;
CREATE TABLE sales.orders (id BIGINT PRIMARY KEY NOT ENFORCED, customer STRING, amount DECIMAL(10, 2)) WITH ('bucket' = '1');
INSERT INTO sales.orders VALUES (1, 'ada', 19.90), (2, 'bob', 500.00);
SQL
