package io.convoke.chaos.presence;

import io.convoke.chaos.history.PresenceHistory.ObservedPresence;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;

/** Polls the API of each server in turn for participants and keeps every response. */
final class PresenceObserver {
  private final ApiClient caller;
  private final List<URI> servers;
  private final List<ObservedPresence> observations = new ArrayList<>();
  private final List<TimedReply> replies = new CopyOnWriteArrayList<>();
  private int turn;

  PresenceObserver(ApiClient caller, List<URI> servers) {
    this.caller = caller;
    this.servers = servers;
  }

  /** Polls each of these meetings once; a server that does not answer yields nothing. */
  List<ObservedPresence> observe(Collection<Long> meetings) {
    List<ObservedPresence> now = new ArrayList<>();
    for (long meeting : meetings) {
      ask(meeting).ifPresent(now::add);
    }
    synchronized (observations) {
      observations.addAll(now);
    }
    return now;
  }

  List<ObservedPresence> observations() {
    synchronized (observations) {
      return List.copyOf(observations);
    }
  }

  /** Every request with its answer. */
  List<TimedReply> replies() {
    return List.copyOf(replies);
  }

  private Optional<ObservedPresence> ask(long meeting) {
    int number = turn++ % servers.size();
    URI server = servers.get(number);
    Instant asked = Instant.now();
    ApiReply reply = caller.at(server).get("/meetings/" + meeting + "/participants?active=true");
    replies.add(
        new TimedReply(
            "participants of " + meeting,
            FaultTimeline.server(number),
            reply.status(),
            asked,
            Instant.now()));
    if (!reply.ok()) {
      return Optional.empty();
    }
    List<String> present = new ArrayList<>();
    for (JsonNode item : reply.body().path("items")) {
      present.add(item.path("session_id").asString());
    }
    return Optional.of(
        new ObservedPresence(
            asked,
            Instant.now(),
            meeting,
            reply.body().path("num_clients").asInt(),
            List.copyOf(present)));
  }
}
