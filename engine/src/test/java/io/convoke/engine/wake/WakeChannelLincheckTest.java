package io.convoke.engine.wake;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Tokens are neither made nor lost, and never more than fit, whatever the interleaving. */
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

  @Test
  void everySmallInterleavingIsSound() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(WakeChannelLincheckTest.class);
  }
}
