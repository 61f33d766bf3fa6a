package io.convoke.chaos.dispatch;

import io.convoke.chaos.dispatch.rules.RequestedTask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A task that somebody will want.
 *
 * @param at since the beginning of the storm
 * @param id that they choose; empty leaves it to the server
 * @param region empty is anywhere
 * @param unique whether the channel is to have no other such task
 * @param patient whether they ask again until somebody accepts it
 * @param times how often they ask although it was accepted
 * @param stops when they want it to stop, counted from when they first asked
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
    List<Duration> stops) {
  RequestedTask requested() {
    return new RequestedTask(request, channel, unique, faultPlan.end());
  }
}
