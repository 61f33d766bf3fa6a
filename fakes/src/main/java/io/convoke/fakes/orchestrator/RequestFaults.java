package io.convoke.fakes.orchestrator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;

/** What shall go wrong with the next requests that fit, in the order it was asked for. */
public final class RequestFaults {
  private final Deque<PlannedFault> planned = new ArrayDeque<>();

  /** One thing that goes wrong. */
  public sealed interface RequestFault {
    /** Refused without doing anything. */
    record RefuseRequest(int status) implements RequestFault {}

    /** Done, and then the connection is cut instead of an answer. */
    record LoseAnswer() implements RequestFault {}

    /** Done late. */
    record DelayRequest(Duration by) implements RequestFault {}

    /** Done at once, and answered late. */
    record AnswerLate(Duration by) implements RequestFault {}
  }

  private record PlannedFault(Predicate<FakeRequest> fits, RequestFault fault) {}

  /** The next request that fits meets this fault. */
  public synchronized void next(Predicate<FakeRequest> fits, RequestFault requestFault) {
    planned.add(new PlannedFault(fits, requestFault));
  }

  /** The next request of this method does. */
  public void next(String method, RequestFault requestFault) {
    next(fakeRequest -> fakeRequest.method().equals(method), requestFault);
  }

  synchronized Optional<RequestFault> of(FakeRequest fakeRequest) {
    for (PlannedFault plan : planned) {
      if (plan.fits().test(fakeRequest)) {
        planned.remove(plan);
        return Optional.of(plan.fault());
      }
    }
    return Optional.empty();
  }
}
