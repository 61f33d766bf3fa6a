package io.convoke.chaos.dispatch;

import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** A planned fault. {@code at} counts from the start of the fault phase. */
sealed interface DispatchFault {

  Duration at();

  /** A fault of servers or stores that every scenario can have. */
  record OnServers(Fault fault) implements DispatchFault {
    @Override
    public Duration at() {
      return fault.at();
    }

    @Override
    public String toString() {
      return fault.toString();
    }
  }

  /**
   * The same with pods. A killed one comes back under a new id; one that hangs does so until all
   * its leases have expired, or until it counts as dead but still holds them by its own clock.
   */
  record OnPods(Fault fault) implements DispatchFault {
    @Override
    public Duration at() {
      return fault.at();
    }

    @Override
    public String toString() {
      return fault.of("pod");
    }
  }

  /** Kills the next pod whose program logs this keyword. */
  record KillPodAtPoint(Duration at, String point, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "kill -9 of the next pod whose program prints %s, started again after %s"
              .formatted(point, PlanFormat.seconds(down)));
    }
  }

  /**
   * Delays what the next pod whose program begins sends to Redis: until other processes count the
   * pod as dead and the task has been restarted.
   */
  record DelayNextPod(Duration at, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "output of the next pod whose program begins arrives "
              + PlanFormat.seconds(span)
              + " late");
    }
  }

  /**
   * Closes the connections of the next pod whose program begins, and delivers what it sent on them
   * just before only after it may have retried and moved on.
   */
  record ReplayNextPod(Duration at, Duration moment, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "the connections of the next pod whose program begins break after %s; its output arrives after %s"
              .formatted(PlanFormat.seconds(moment), PlanFormat.seconds(span)));
    }
  }

  /** An operator drains a pod for a while; if it is not up, the next one that is. */
  record DrainPod(Duration at, int pod, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "pod " + pod + " is drained for " + PlanFormat.seconds(span));
    }
  }
}
