package io.convoke.fakes.orchestrator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;

/** Faults of the next matching requests, in the order in which they were added. */
public final class RequestFaults {
  private final Deque<PlannedFault> planned = new ArrayDeque<>();

  /** One fault. */
  public sealed interface RequestFault {
    /** Refused without an effect. */
    record RefuseRequest(int status) implements RequestFault {}

    /** Executed; then the connection is cut instead of a response. */
    record LoseAnswer() implements RequestFault {}

    /** Executed late. */
    record DelayRequest(Duration by) implements RequestFault {}

    /** Executed at once, answered late. */
    record AnswerLate(Duration by) implements RequestFault {}
  }

  private record PlannedFault(Predicate<FakeRequest> fits, RequestFault fault) {}

  /** Adds a fault for the next matching request. */
  public synchronized void next(Predicate<FakeRequest> fits, RequestFault requestFault) {
    planned.add(new PlannedFault(fits, requestFault));
  }

  /** Adds a fault for the next request with this method. */
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
