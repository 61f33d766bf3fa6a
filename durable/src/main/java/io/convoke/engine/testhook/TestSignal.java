package io.convoke.engine.testhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A point in the code that tests wait for; a no-op in production. */
public final class TestSignal<T> {
  private final CopyOnWriteArrayList<SignalObservation<T>> observations =
      new CopyOnWriteArrayList<>();

  public void emit(T value) {
    if (!observations.isEmpty()) {
      observations.forEach(signalObservation -> signalObservation.values.add(value));
    }
  }

  /** Starts to record all values, until it is closed. */
  public SignalObservation<T> observe() {
    SignalObservation<T> signalObservation = new SignalObservation<>(this);
    observations.add(signalObservation);
    return signalObservation;
  }

  /** The values that a signal has emitted since the observation began, in order. */
  public static final class SignalObservation<T> implements AutoCloseable {
    private final TestSignal<T> testSignal;
    private final LinkedBlockingQueue<T> values = new LinkedBlockingQueue<>();

    private SignalObservation(TestSignal<T> testSignal) {
      this.testSignal = testSignal;
    }

    /**
     * Waits for the next matching value and drops those before it.
     *
     * @throws AssertionError with the other values, if none matched within {@code atMost}
     */
    public T await(Predicate<? super T> fits, Duration atMost) {
      long deadline = System.nanoTime() + atMost.toNanos();
      List<T> others = new ArrayList<>();
      while (true) {
        T value = poll(deadline - System.nanoTime());
        if (value == null) {
          throw new AssertionError("no fitting signal within " + atMost + ", saw " + others);
        }
        if (fits.test(value)) {
          return value;
        }
        others.add(value);
      }
    }

    public T await(Duration atMost) {
      return await(value -> true, atMost);
    }

    /** The values that were recorded and not awaited. */
    public List<T> drain() {
      List<T> drained = new ArrayList<>();
      values.drainTo(drained);
      return drained;
    }

    @Override
    public void close() {
      testSignal.observations.remove(this);
    }

    private @org.jspecify.annotations.Nullable T poll(long nanos) {
      try {
        return values.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for a signal", e);
      }
    }
  }
}
