package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A planned task of a client.
 *
 * @param at since the start of the storm
 * @param id chosen by the client; empty leaves it to the server
 * @param region empty for any
 * @param unique whether the channel must have no other such task
 * @param patient whether the client retries until it is accepted
 * @param times number of repeated requests after it was accepted
 * @param stops times of stop requests, counted from acceptance
 * @param server asked first; empty for any
 */
record PlannedTask(
    Duration at,
    String request,
    Optional<String> id,
    String type,
    String channel,
    Optional<String> region,
    boolean unique,
    TaskFaultPlan faultPlan,
    boolean patient,
    int times,
    List<Duration> stops,
    Optional<Integer> server) {

  /** A task for any region that succeeds. */
  static PlannedTask plain(
      Duration at, String request, Duration work, boolean patient, Optional<Integer> server) {
    return new PlannedTask(
        at,
        request,
        Optional.empty(),
        "record",
        "lobby",
        Optional.empty(),
        false,
        new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, work, 0),
        patient,
        0,
        List.of(),
        server);
  }

  /** Another of the same kind in another channel. */
  PlannedTask inChannel(String otherRequest, String other) {
    return new PlannedTask(
        at,
        otherRequest,
        id,
        type,
        other,
        region,
        unique,
        faultPlan,
        patient,
        times,
        stops,
        server);
  }

  RequestedTask requested() {
    return new RequestedTask(request, channel, unique, faultPlan.end(), region);
  }
}
