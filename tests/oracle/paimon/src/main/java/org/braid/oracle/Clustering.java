package org.braid.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.paimon.append.cluster.IncrementalClusterManager;
import org.apache.paimon.append.cluster.Sorter;
import org.apache.paimon.compact.CompactUnit;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.partition.PartitionPredicate;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.utils.Pair;

/** Incremental clustering of tables without buckets: what the Flink connector's action does around core calls. */
final class Clustering {
    private final FileStoreTable table;
    private final String user;

    Clustering(FileStoreTable table, String user) {
        this.table = table;
        this.user = user;
    }

    /** Sorts what Java picks and returns what to commit; `partitions` may be null. */
    List<CommitMessage> run(boolean full, List<Map<String, String>> partitions) throws Exception {
        PartitionPredicate chosen = partitions == null ? null : PartitionPredicate.fromMaps(
                table.schema().logicalPartitionType(), partitions, table.coreOptions().partitionDefaultName());
        IncrementalClusterManager manager = new IncrementalClusterManager(table, chosen);
        Map<BinaryRow, CompactUnit> units = manager.createCompactUnits(full);
        List<CommitMessage> messages = new ArrayList<>();
        for (Map.Entry<BinaryRow, Pair<List<DataSplit>, CommitMessage>> each
                : manager.toSplitsAndRewriteDvFiles(units).entrySet()) {
            BinaryRow partition = each.getKey();
            List<DataSplit> splits = each.getValue().getLeft();
            for (DataSplit split : splits) {
                messages.add(new CommitMessageImpl(partition, split.bucket(), split.totalBuckets(),
                        DataIncrement.emptyIncrement(),
                        new CompactIncrement(split.dataFiles(), List.of(), List.of())));
            }
            if (each.getValue().getRight() != null) {
                messages.add(each.getValue().getRight());
            }
            List<DataFileMeta> sorted =
                    IncrementalClusterManager.upgrade(sort(splits), units.get(partition).outputLevel());
            messages.add(new CommitMessageImpl(partition, 0, table.coreOptions().bucket(),
                    DataIncrement.emptyIncrement(), new CompactIncrement(List.of(), sorted, List.of())));
        }
        return messages;
    }

    private List<DataFileMeta> sort(List<DataSplit> splits) throws Exception {
        List<DataFileMeta> files = new ArrayList<>();
        try (IOManager spill = Writes.spill(); TableWriteImpl<?> write = table.newWrite(user)) {
            write.withIOManager(spill);
            RecordReaderIterator<InternalRow> rows = new RecordReaderIterator<>(
                    table.newRead().withIOManager(spill).createReader(new ArrayList<Split>(splits)));
            Sorter sorter = Sorter.getSorter(rows, Writes.spill(), table.rowType(), table.coreOptions());
            var sorted = sorter.sort();
            BinaryRow row = new BinaryRow(sorter.arity());
            while ((row = sorted.next(row)) != null) {
                write.write(sorter.removeSortKey(row));
            }
            sorter.close();
            rows.close();
            for (CommitMessage message : write.prepareCommit(true, Long.MAX_VALUE)) {
                files.addAll(((CommitMessageImpl) message).newFilesIncrement().newFiles());
            }
        }
        return files;
    }
}
