package io.convoke.engine.wake;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens are neither made nor lost, and never more than fit, whatever the interleaving. */
@Tag("nightly")
public class WakeChannelLincheckTest {
  private final WakeChannel channel = new WakeChannel(2);

  @Operation
  public boolean send() {
    return channel.send();
  }

  @Operation
  public int sendThree() {
    return channel.send(3);
  }

  @Operation
  public boolean tryTake() {
    return channel.tryTake();
  }

  @Operation
  public int pending() {
    return channel.pending();
  }

  /** As many tokens as fit, and no threads. */
  public static final class Plain {
    private int tokens;

    public boolean send() {
      return add(1) == 1;
    }

    public int sendThree() {
      return add(3);
    }

    public boolean tryTake() {
      boolean some = tokens > 0;
      tokens -= some ? 1 : 0;
      return some;
    }

    public int pending() {
      return tokens;
    }

    private int add(int count) {
      int fitting = Math.min(count, 2 - tokens);
      tokens += fitting;
      return fitting;
    }
  }

  @Test
  void everySmallInterleavingIsSound() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .sequentialSpecification(Plain.class)
        .check(WakeChannelLincheckTest.class);
  }
}
