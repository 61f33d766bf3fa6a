package io.convoke.engine.durable.postgres;

import java.time.Instant;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A claim begins to read at or below every item that was announced before it began, in any order of
 * claims, writes and announcements.
 */
@Param(name = "at", gen = IntGen.class, conf = "1:3")
@Tag("nightly")
public class ClaimWatermarkLincheckTest {
  private final ClaimWatermark claimWatermark = new ClaimWatermark();
  private final ConcurrentSkipListSet<Integer> rows = new ConcurrentSkipListSet<>();
  private final AtomicInteger last = new AtomicInteger();
  private final ReentrantLock claiming = new ReentrantLock();

  /** Rows of one instant differ in their lower part. */
  @Operation
  public void write(@Param(name = "at") int at) {
    boolean _ = rows.add(at * 100 + last.incrementAndGet());
    claimWatermark.announce(Instant.ofEpochSecond(at));
  }

  /** Whether there was a row to take; one claim at a time, as in a node. */
  @Operation
  public boolean claim() {
    claiming.lock();
    try {
      Instant begin = claimWatermark.begin();
      int from = begin.equals(Instant.MIN) ? 0 : (int) begin.getEpochSecond() * 100;
      int row = rows.tailSet(from).first();
      boolean _ = rows.remove(row);
      claimWatermark.read(Instant.ofEpochSecond(row / 100));
      return true;
    } catch (NoSuchElementException empty) {
      claimWatermark.read(Instant.ofEpochSecond(3));
      return false;
    } finally {
      claiming.unlock();
    }
  }

  /** Rows without order: a claim finds one if there is one. */
  public static final class Bag {
    private int rows;

    public void write(int at) {
      rows++;
    }

    public boolean claim() {
      boolean some = rows > 0;
      rows -= some ? 1 : 0;
      return some;
    }
  }

  @Test
  void nothingIsForgottenBelowTheFloor() {
    new ModelCheckingOptions()
        .iterations(6)
        .invocationsPerIteration(200)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(3)
        .sequentialSpecification(Bag.class)
        .check(ClaimWatermarkLincheckTest.class);
  }
}
