-- The lineage proposal's word count, in batch: which snapshot of the words made which snapshot of the counts, and how to
-- recompute one of them to find out what is wrong.
--
--   braid sql -f examples/word_count.sql
--
-- makes a warehouse in the folder `warehouse` below the current one.

-- 1. A catalog that records lineage. The two options are fixed once the catalog exists.
CREATE CATALOG my_catalog WITH (
    'type' = 'paimon',
    'warehouse' = 'warehouse',
    'table-lineage' = 'true',
    'data-lineage' = 'true'
);

USE CATALOG my_catalog;

SELECT * FROM paimon.catalog_options;

-- 2. The source and the sink table, and the job between them.
CREATE TABLE word_table (
    word STRING
);

CREATE TABLE word_count_table (
    word STRING PRIMARY KEY NOT ENFORCED,
    cnt BIGINT
);

SET 'execution.runtime-mode' = 'batch';
SET 'pipeline.name' = 'job1';

INSERT INTO word_table VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be');
INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word;

INSERT INTO word_table VALUES ('that'), ('is'), ('the'), ('question');
INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word;

SELECT * FROM word_count_table ORDER BY word;

-- 3. Table lineage: which job reads and writes which table, and the tables upstream of the counts.
SELECT * FROM paimon.source_job_lineage;
SELECT * FROM paimon.sink_job_lineage;

SELECT s.`database`, s.`table`, s.job
    FROM paimon.source_job_lineage s JOIN paimon.sink_job_lineage k ON s.job = k.job
    WHERE k.`database` = 'default' AND k.`table` = 'word_count_table';

-- Data lineage: the snapshot of the words that each snapshot of the counts was made from.
SELECT k.snapshot_id AS word_count_snapshot, s.`table`, s.snapshot_id
    FROM paimon.source_snapshot_lineage s JOIN paimon.sink_snapshot_lineage k
    ON s.job = k.job AND s.barrier_id = k.barrier_id
    WHERE k.`table` = 'word_count_table'
    ORDER BY word_count_snapshot;

-- 4. Debugging a snapshot of the counts: recompute it from the recorded snapshot of its source, and compare.
SET 'pipeline.name' = 'debug_job';

CREATE TABLE debug_word_count_table LIKE word_count_table;

INSERT INTO debug_word_count_table
    SELECT word, COUNT(*) FROM word_table /*+ OPTIONS('scan.snapshot-id' = '2') */ GROUP BY word;

-- Rows that differ: none.
SELECT d.word AS debug_word, d.cnt AS debug_cnt, w.word, w.cnt
    FROM debug_word_count_table d
    FULL OUTER JOIN word_count_table /*+ OPTIONS('scan.snapshot-id' = '2') */ w
    ON d.word = w.word
    WHERE d.cnt IS DISTINCT FROM w.cnt;

-- A wrong row gets into the counts, and the comparison shows exactly that.
SET 'pipeline.name' = 'mistake';
INSERT INTO word_count_table VALUES ('question', 42);

SELECT d.word AS debug_word, d.cnt AS debug_cnt, w.word, w.cnt
    FROM debug_word_count_table d
    FULL OUTER JOIN word_count_table w
    ON d.word = w.word
    WHERE d.cnt IS DISTINCT FROM w.cnt;
