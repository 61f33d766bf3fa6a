package io.convoke.engine.wake;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Chain and channel together hide nothing: what was queued and announced before a fetch began is
 * found by it, or was found by another, although most fetches do not look.
 */
@Param(name = "item", gen = IntGen.class, conf = "1:3")
@Tag("nightly")
public class WakeChainLincheckTest {
  private final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
  private final WakeChannel channel = new WakeChannel(1);
  private final WakeChain chain = new WakeChain(channel, nanos -> {});

  @Operation
  public void put(@Param(name = "item") int item) {
    boolean _ = queue.add(item);
    boolean _ = channel.send();
  }

  @Operation
  public int fetch() throws InterruptedException {
    return chain.fetch(this::look, Duration.ZERO).orElse(0);
  }

  private PollResult<Integer> look() {
    Integer item = queue.poll();
    return item == null ? PollResult.empty() : PollResult.found(item);
  }

  /** A queue as it would be with one thread. */
  public static final class Plain {
    private final Deque<Integer> queue = new ArrayDeque<>();

    public void put(int item) {
      queue.addLast(item);
    }

    public int fetch() {
      return queue.isEmpty() ? 0 : queue.removeFirst();
    }
  }

  @Test
  void whatWasAnnouncedIsFound() {
    new ModelCheckingOptions()
        .iterations(8)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(2)
        .sequentialSpecification(Plain.class)
        .check(WakeChainLincheckTest.class);
  }
}
