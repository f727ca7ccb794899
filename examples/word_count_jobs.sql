-- The word count as two streaming jobs: `ingest` follows the text files of a folder, `job1` keeps the counts.
--
--   mkdir -p incoming
--   braid sql -f examples/word_count_jobs.sql
--
-- makes a warehouse in the folder `warehouse` below the current one. The jobs go on when this script has ended:
--
--   cp README.md incoming/.new && mv incoming/.new incoming/1.txt      # a file must come whole
--   braid job wait ingest --caught-up && braid job wait job1 --caught-up
--   braid sql --warehouse warehouse -e "SELECT * FROM word_count_table ORDER BY cnt DESC LIMIT 10"
--   braid job stop --all

CREATE CATALOG my_catalog WITH (
    'type' = 'paimon',
    'warehouse' = 'warehouse',
    'table-lineage' = 'true',
    'data-lineage' = 'true'
);

USE CATALOG my_catalog;

CREATE TABLE IF NOT EXISTS word_table (
    word STRING
);

CREATE TABLE IF NOT EXISTS word_count_table (
    word STRING PRIMARY KEY NOT ENFORCED,
    cnt BIGINT
);

-- The lines of the files; a temporary table, known to this script and to the jobs that it starts.
CREATE TEMPORARY TABLE lines (line STRING) WITH (
    'connector' = 'filesystem',
    'path' = 'incoming',
    'format' = 'raw',
    'source.monitor-interval' = '1 s'
);

SET 'execution.runtime-mode' = 'streaming';

SET 'pipeline.name' = 'ingest';
INSERT INTO word_table
    SELECT word FROM lines
    CROSS JOIN UNNEST(SPLIT(LOWER(REGEXP_REPLACE(line, '[^A-Za-z]+', ' ')), ' ')) AS t (word)
    WHERE word <> '';

SET 'pipeline.name' = 'job1';
INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word;

SHOW JOBS;
