package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.ClaimBuffer.BufferedItem;
import io.convoke.engine.durable.postgres.ClaimBuffer.ClaimBatch;
import io.convoke.engine.wake.PollResult;
import io.convoke.engine.wake.WakeChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The buffer neither loses an item, nor hands it out twice, nor reports an empty queue while it has
 * an announced item.
 */
@Tag("nightly")
public class ClaimBufferLincheckTest {
  private static final long NEVER_USELESS = Long.MAX_VALUE / 4;

  private final ConcurrentLinkedQueue<Integer> rows = new ConcurrentLinkedQueue<>();
  private final WakeChannel channel = new WakeChannel(4);
  private final ClaimBuffer<Integer> buffer =
      new ClaimBuffer<>(this::claim, channel, 3, () -> true, due -> {});

  private ClaimBatch<Integer> claim(int limit) {
    List<BufferedItem<Integer>> items = new ArrayList<>();
    for (Integer row = rows.poll(); row != null; row = items.size() < limit ? rows.poll() : null) {
      boolean _ = items.add(new BufferedItem<>(row, Long.MIN_VALUE / 4, NEVER_USELESS));
    }
    return new ClaimBatch<>(items, items.size() < limit, false);
  }

  @Operation
  public void write() {
    boolean _ = rows.add(1);
    boolean _ = channel.announce();
  }

  /** Hands work to a waiting dispatcher, or else inserts it into the store. */
  @Operation
  public void handOver() {
    int promised = buffer.promise(1);
    if (promised == 0) {
      write();
    } else {
      buffer.hand(promised, List.of(new BufferedItem<>(1, Long.MIN_VALUE / 4, NEVER_USELESS)));
    }
  }

  /** Polls again after contention, as the chain does. */
  @Operation
  public boolean take() {
    PollResult<Integer> pollResult = buffer.claim();
    while (pollResult instanceof PollResult.WorkContended<Integer>) {
      pollResult = buffer.claim();
    }
    return pollResult instanceof PollResult.WorkFound<Integer>;
  }

  /** Rows without order. */
  public static final class Bag {
    private int rows;

    public void write() {
      rows++;
    }

    public void handOver() {
      rows++;
    }

    public boolean take() {
      boolean some = rows > 0;
      rows -= some ? 1 : 0;
      return some;
    }
  }

  @Test
  void whatWasAnnouncedIsHandedOutOnce() {
    new ModelCheckingOptions()
        .iterations(4)
        .invocationsPerIteration(60)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(2)
        .actorsAfter(3)
        .sequentialSpecification(Bag.class)
        .check(ClaimBufferLincheckTest.class);
  }
}
