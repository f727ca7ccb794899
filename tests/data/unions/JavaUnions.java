// Makes java_unions.tsv: what Java Paimon's aggregate functions make of sketches and bitmaps made up by chance.
// See README.md for how to run it.

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.HexFormat;
import java.util.Random;
import org.apache.paimon.shade.org.apache.datasketches.common.Family;
import org.apache.paimon.shade.org.apache.datasketches.hll.HllSketch;
import org.apache.paimon.shade.org.apache.datasketches.hll.TgtHllType;
import org.apache.paimon.shade.org.apache.datasketches.theta.Intersection;
import org.apache.paimon.shade.org.apache.datasketches.theta.SetOperation;
import org.apache.paimon.shade.org.apache.datasketches.theta.UpdateSketch;
import org.apache.paimon.shade.org.apache.datasketches.theta.UpdateSketchBuilder;
import org.apache.paimon.shade.org.roaringbitmap.longlong.Roaring64Bitmap;
import org.apache.paimon.utils.HllSketchUtil;
import org.apache.paimon.utils.RoaringBitmap64;
import org.apache.paimon.utils.ThetaSketch;

public class JavaUnions {
    static final Random RANDOM = new Random(7);

    public static void main(String[] args) throws Exception {
        System.out.println("# Made by JavaUnions.java: function, accumulated, input, union.");
        for (String function : new String[] {"rbm64", "theta_sketch", "hll_sketch"}) {
            byte[] last = null;
            int largeLeft = function.equals("rbm64") ? 25 : 10;
            int hugeLeft = 2;
            for (int cases = 0; cases < 70; ) {
                byte[] accumulated = last != null && RANDOM.nextBoolean() ? last : make(function);
                byte[] input = make(function);
                if (RANDOM.nextInt(4) == 0) {
                    byte[] other = accumulated;
                    accumulated = input;
                    input = other;
                }
                last = union(function, accumulated, input);
                // Few large ones; of bitmaps with 8 KB of bits at least, two.
                int bytes = accumulated.length + input.length + last.length;
                boolean huge = bytes > 9000;
                if (huge ? bytes > 20000 || !function.equals("rbm64") || hugeLeft == 0 : bytes > 900 && largeLeft == 0) {
                    last = null;
                    continue;
                }
                hugeLeft -= huge ? 1 : 0;
                largeLeft -= !huge && bytes > 900 ? 1 : 0;
                System.out.println(function + "\t" + hex(accumulated) + "\t" + hex(input) + "\t" + hex(last));
                cases++;
            }
        }
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static byte[] union(String function, byte[] accumulated, byte[] input) throws Exception {
        switch (function) {
            case "theta_sketch":
                return ThetaSketch.union(accumulated, input);
            case "hll_sketch":
                return HllSketchUtil.union(accumulated, input);
            default:
                RoaringBitmap64 both = new RoaringBitmap64();
                RoaringBitmap64 other = new RoaringBitmap64();
                both.deserialize(accumulated);
                other.deserialize(input);
                both.or(other);
                return both.serialize();
        }
    }

    static byte[] make(String function) throws Exception {
        switch (function) {
            case "theta_sketch":
                return theta();
            case "hll_sketch":
                return hll();
            default:
                return bitmap();
        }
    }

    /** Small numbers more often than large ones. */
    static int upTo(int most) {
        return (int) Math.floor(Math.pow(most + 1.0, RANDOM.nextDouble())) - 1;
    }

    static byte[] hll() {
        TgtHllType[] types = TgtHllType.values();
        HllSketch sketch = new HllSketch(4 + RANDOM.nextInt(7), types[RANDOM.nextInt(3)]);
        int count = upTo(RANDOM.nextInt(6) == 0 ? 1000000 : 3000);
        long first = RANDOM.nextLong();
        for (int i = 0; i < count; i++) {
            sketch.update(first + i);
        }
        if (RANDOM.nextInt(4) == 0) {
            sketch = sketch.copyAs(types[RANDOM.nextInt(3)]);
        }
        return RANDOM.nextInt(3) == 0 ? sketch.toUpdatableByteArray() : sketch.toCompactByteArray();
    }

    static byte[] theta() {
        int nominal = 16 << RANDOM.nextInt(3);
        UpdateSketchBuilder builder = UpdateSketch.builder();
        if (RANDOM.nextInt(6) == 0) {
            builder.setP(RANDOM.nextFloat());
        }
        if (RANDOM.nextInt(12) == 0) {
            nominal = 512;
            builder.setFamily(Family.ALPHA);
        }
        UpdateSketch sketch = builder.setNominalEntries(nominal).build();
        int count = upTo(300);
        long first = RANDOM.nextInt(2) == 0 ? 0 : RANDOM.nextLong();
        for (int i = 0; i < count; i++) {
            sketch.update(first + i);
        }
        switch (RANDOM.nextInt(7)) {
            case 0:
                return sketch.toByteArray();
            case 1:
                return sketch.compact(false, null).toByteArray();
            case 2:
                return sketch.compact(true, null).toByteArrayCompressed();
            case 3:
                UpdateSketch other = UpdateSketch.builder().setNominalEntries(16).build();
                for (int i = 0; i < upTo(200); i++) {
                    other.update(first + RANDOM.nextInt(200));
                }
                Intersection both = SetOperation.builder().buildIntersection();
                both.intersect(sketch);
                both.intersect(other);
                return both.getResult(RANDOM.nextBoolean(), null).toByteArray();
            default:
                return sketch.compact().toByteArray();
        }
    }

    static byte[] bitmap() throws Exception {
        Roaring64Bitmap bitmap = new Roaring64Bitmap();
        for (int parts = 1 + upTo(4); parts > 0; parts--) {
            long high = RANDOM.nextInt(3) == 0 ? RANDOM.nextLong() & 0x0300030003030000L : (long) RANDOM.nextInt(70) << 16;
            switch (RANDOM.nextInt(9)) {
                case 0:
                    bitmap.addRange(high + RANDOM.nextInt(30000), high + 30000 + RANDOM.nextInt(200000));
                    break;
                case 1:
                    bitmap.addRange(high, high + 65536);
                    break;
                case 2:
                    for (int i = 0, step = 2 + RANDOM.nextInt(20); i < 65536 && RANDOM.nextInt(60000) > 0; i += step) {
                        bitmap.addLong(high + i);
                    }
                    break;
                case 3:
                    for (int i = upTo(90), shift = 16 + 8 * RANDOM.nextInt(6); i > 0; i--) {
                        bitmap.addLong(high + ((long) RANDOM.nextInt(256) << shift) + RANDOM.nextInt(3));
                    }
                    break;
                case 4:
                    for (int i = upTo(40), number = RANDOM.nextInt(60000); i > 0; i--, number += 3) {
                        bitmap.addRange(high + number, high + number + 2);
                    }
                    break;
                case 5:
                    for (int i = upTo(20); i > 0; i--) {
                        bitmap.addLong(RANDOM.nextLong());
                    }
                    break;
                case 6: // at times as long in runs as in numbers
                    for (int i = 1 + upTo(4), number = RANDOM.nextInt(60000); i > 0; i--, number += 9) {
                        for (int j = 1 + RANDOM.nextInt(4); j > 0; j--) {
                            bitmap.addLong(high + number + j);
                        }
                    }
                    break;
                case 7: // nodes that grew and lost children
                    for (int i = RANDOM.nextInt(70), shift = 16 + 8 * RANDOM.nextInt(6); i > 0; i--) {
                        bitmap.addLong((long) RANDOM.nextInt(60) << shift);
                        bitmap.removeLong((long) RANDOM.nextInt(60) << shift);
                    }
                    break;
                default:
                    for (int i = upTo(100); i > 0; i--) {
                        bitmap.addLong(high + RANDOM.nextInt(100000));
                    }
            }
        }
        if (RANDOM.nextInt(3) == 0) {
            bitmap.runOptimize();
        }
        if (RANDOM.nextInt(3) == 0 && bitmap.getIntCardinality() < 5000) {
            double kept = RANDOM.nextDouble();
            for (long number : bitmap.toArray()) {
                if (RANDOM.nextDouble() > kept) {
                    bitmap.removeLong(number);
                }
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bitmap.serialize(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }
}
