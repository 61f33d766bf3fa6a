package io.convoke.engine.wake;

import java.util.TreeSet;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any thread adds timers, and their owner removes each once, not before its time. */
@Param(name = "at", gen = IntGen.class, conf = "1:3")
@Tag("nightly")
public class TimersLincheckTest {
  private final SharedTimerQueue<Integer> sharedTimerQueue = new SharedTimerQueue<>(10);

  @Operation
  public void add(@Param(name = "at") int at) {
    sharedTimerQueue.add(at, at);
  }

  @Operation(nonParallelGroup = "owner")
  public String takeDue(@Param(name = "at") int now) {
    return sharedTimerQueue.takeDue(now).toString();
  }

  @Operation
  public int size() {
    return sharedTimerQueue.size();
  }

  /** A set, earliest first: a timer that is there already is not there twice. */
  public static final class Plain {
    private final TreeSet<Integer> due = new TreeSet<>();

    public void add(int at) {
      boolean _ = due.add(at);
    }

    public String takeDue(int now) {
      var taken = due.headSet(now, true);
      String keys = taken.toString();
      taken.clear();
      return keys;
    }

    public int size() {
      return due.size();
    }
  }

  @Test
  void noTimerIsLostOrFiresTwice() {
    new ModelCheckingOptions()
        .iterations(20)
        .invocationsPerIteration(40)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(2)
        .actorsAfter(3)
        .sequentialSpecification(Plain.class)
        .check(TimersLincheckTest.class);
  }
}
