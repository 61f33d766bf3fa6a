package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.wake.Interleavings.Actor;
import io.convoke.engine.wake.Interleavings.Run;
import io.convoke.engine.wake.Interleavings.Story;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A wake protocol with known flaws, line by line, under every interleaving. Each flaw shows as an
 * interleaving in which an item is visible and all dispatchers wait for the fallback; the same
 * explorer finds none in the engine's protocol ({@link WakeProtocolTest}).
 */
class SeedProtocolTest {
  @Test
  void anImmediateItemAloneIsFound() {
    assertThat(counterexample(1, 0)).isEmpty();
  }

  @Test
  void aTimerAloneFires() {
    assertThat(counterexample(1, 1)).isEmpty();
  }

  /** {@code clear_orch_timer} after any fetch wipes a timer that has nothing to do with it. */
  @Test
  void anUnrelatedItemErasesATimer() {
    assertThat(counterexample(1, 0, 1)).hasValueSatisfying(contains("timer := 0"));
  }

  /** Only the earliest instant is kept; what comes after it is not known any more. */
  @Test
  void aLaterTimerIsForgottenBehindAnEarlierOne() {
    assertThat(counterexample(1, 1, 2)).isPresent();
  }

  /**
   * A reset between a load and a store loses what came in between. To show it alone, a fetch clears
   * only the timer of what it took, in the same step, and the second timer is set after that.
   */
  @Test
  void aTimerThatIsSetBetweenLoadAndResetIsLost() {
    Optional<String> story =
        Interleavings.explore(run -> new Seed(run, 1, true, 1, 2)).counterexample();
    assertThat(story).hasValueSatisfying(contains("timer task: timer := 0"));
  }

  private static Consumer<String> contains(String part) {
    return story -> assertThat(story).contains(part);
  }

  private static Optional<String> counterexample(int dispatchers, int... visibleAt) {
    return Interleavings.explore(run -> new Seed(run, dispatchers, false, visibleAt))
        .counterexample();
  }

  private static final class Seed implements Story {
    private static final int CAPACITY = 4;

    private final WakeModel wakeModel;
    private final boolean clearsItsOwn;
    private int tokens;
    private int nextTimer;
    private boolean timerNotified;

    private Seed(Run run, int dispatchers, boolean clearsItsOwn, int... visibleAt) {
      this.wakeModel = new WakeModel(visibleAt);
      this.clearsItsOwn = clearsItsOwn;
      for (int i = 0; i < visibleAt.length; i++) {
        int item = i;
        var _ = run.actor("writer " + i, me -> () -> write(me, item));
      }
      var _ = run.actor("timer task", me -> () -> timerTask(me));
      for (int i = 0; i < dispatchers; i++) {
        var _ = run.actor("dispatcher " + i, me -> () -> dispatch(me));
      }
      var _ = wakeModel.clockOf(run);
    }

    /** A commit, and what the listener task does with its notification. */
    private void write(Actor me, int item) {
      var _ = me.when(() -> mayCommit(item), "commit", () -> wakeModel.commit(item));
      int visible = wakeModel.visibleAt(item);
      if (visible > me.step("now", wakeModel::clock)) {
        boolean _ =
            me.step(
                "update_next_timer " + visible,
                () -> {
                  boolean earlier = nextTimer == 0 || visible < nextTimer;
                  nextTimer = earlier ? visible : nextTimer;
                  return earlier;
                });
        timerNotified = me.step("notify_one", () -> true);
      } else {
        boolean _ = me.step("try_send", this::trySend);
      }
    }

    private void timerTask(Actor me) {
      while (true) {
        me.forget();
        int next = me.step("compute_sleep_duration", () -> nextTimer);
        boolean slept =
            me.when(
                () -> timerNotified || (next > 0 && next <= wakeModel.clock()),
                "select",
                () -> {
                  boolean notified = timerNotified;
                  timerNotified = false;
                  return !notified;
                });
        if (slept) {
          boolean _ = me.step("try_send", this::trySend);
          int due = me.step("load", () -> nextTimer);
          if (due > 0 && due <= wakeModel.clock()) {
            nextTimer = me.step("timer := 0", () -> 0);
          }
        }
      }
    }

    private void dispatch(Actor me) {
      while (true) {
        me.forget();
        if (tryFetch(me)) {
          clear(me);
          continue;
        }
        boolean _ = me.when(() -> tokens > 0, "recv", () -> tokens-- > 0);
        if (tryFetch(me)) {
          boolean _ = me.step("try_send", this::trySend);
          clear(me);
        }
      }
    }

    private boolean tryFetch(Actor me) {
      int candidate = me.step("look", wakeModel::candidate);
      return candidate >= 0 && me.step("lock", () -> take(candidate));
    }

    private boolean take(int item) {
      if (clearsItsOwn && nextTimer == wakeModel.visibleAt(item)) {
        nextTimer = 0;
      }
      return wakeModel.take(item);
    }

    private void clear(Actor me) {
      if (!clearsItsOwn) {
        nextTimer = me.step("clear, timer := 0", () -> 0);
      }
    }

    private boolean mayCommit(int item) {
      return !clearsItsOwn || item == 0 || wakeModel.taken(item - 1);
    }

    private boolean trySend() {
      boolean fits = tokens < CAPACITY;
      tokens += fits ? 1 : 0;
      return fits;
    }

    @Override
    public String state() {
      return wakeModel + " " + tokens + " " + nextTimer + timerNotified;
    }

    @Override
    public Optional<String> verdict() {
      return wakeModel.lost();
    }
  }
}
