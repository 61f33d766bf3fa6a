package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.history.Look;
import io.convoke.lab.client.Api;
import io.convoke.lab.client.Reply;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Asks the API who is where, one server after the other, and keeps every answer. */
final class Observer {
  private final Api caller;
  private final List<URI> servers;
  private final List<Look> looks = new ArrayList<>();
  private int turn;

  Observer(Api caller, List<URI> servers) {
    this.caller = caller;
    this.servers = servers;
  }

  /** One look at each of these meetings; a server that does not answer gives none. */
  List<Look> look(Collection<Long> meetings) {
    List<Look> now = new ArrayList<>();
    for (long meeting : meetings) {
      ask(meeting).ifPresent(now::add);
    }
    synchronized (looks) {
      looks.addAll(now);
    }
    return now;
  }

  List<Look> looks() {
    synchronized (looks) {
      return List.copyOf(looks);
    }
  }

  private Optional<Look> ask(long meeting) {
    URI server = servers.get(turn++ % servers.size());
    Instant asked = Instant.now();
    Reply reply = caller.at(server).get("/meetings/" + meeting + "/participants?active=true");
    if (!reply.ok()) {
      return Optional.empty();
    }
    List<String> present = new ArrayList<>();
    for (JsonNode item : reply.body().path("items")) {
      present.add(item.path("session_id").asString());
    }
    return Optional.of(
        new Look(
            asked,
            Instant.now(),
            meeting,
            reply.body().path("num_clients").asInt(),
            List.copyOf(present)));
  }
}
