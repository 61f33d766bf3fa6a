package io.convoke.server.presence;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.server.presence.merge.Evidence;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Drains what webhooks put aside in Redis: events of rooms that the map did not know are looked up
 * in Postgres once more, because a meeting may be younger than the map; what still fits nowhere
 * becomes a dead letter.
 */
final class Routing {
  private static final int BATCH = 200;
  private static final Duration LOCK = Duration.ofSeconds(15);

  private final Redis redis;
  private final Database database;
  private final MeetingRows meetings;
  private final RoomMap rooms;
  private final WebhookIntake intake;
  private final PresenceMeters meters;
  private final PresenceSignals signals;
  private final String platform;

  Routing(
      Redis redis,
      Database database,
      MeetingRows meetings,
      RoomMap rooms,
      WebhookIntake intake,
      PresenceMeters meters,
      PresenceSignals signals,
      String platform) {
    this.redis = redis;
    this.database = database;
    this.meetings = meetings;
    this.rooms = rooms;
    this.intake = intake;
    this.meters = meters;
    this.signals = signals;
    this.platform = platform;
  }

  /** Drains until nothing is left or another node does; false when the map is not whole. */
  boolean drain() {
    if (!rooms.known()) {
      return false;
    }
    if (!lock()) {
      return true;
    }
    try {
      List<String> waiting = next();
      while (!waiting.isEmpty()) {
        int taken = waiting.size();
        route(waiting.stream().map(Arrival::parse).toList());
        String _ = redis.call(commands -> commands.ltrim(Keys.UNROUTED, taken, -1));
        waiting = next();
      }
      return true;
    } finally {
      long _ = redis.call(commands -> commands.del(Keys.UNROUTED_LOCK));
    }
  }

  private void route(List<Arrival> arrivals) {
    List<Evidence> evidence = new ArrayList<>();
    List<Arrival.Letter> letters = new ArrayList<>();
    for (Arrival arrival : arrivals) {
      switch (arrival) {
        case Arrival.Witness(Evidence witness) -> evidence.add(witness);
        case Arrival.Letter letter -> letters.add(letter);
        case Arrival.Nothing _ -> {}
      }
    }
    Map<String, List<Meeting>> found = byRoom(evidence);
    rooms.add(found.values().stream().flatMap(List::stream).map(Meeting::entry).toList());
    List<Evidence> routed = evidence.stream().filter(it -> found.containsKey(it.room())).toList();
    if (!routed.isEmpty()) {
      intake.again(routed);
    }
    letters.addAll(
        evidence.stream()
            .filter(it -> !found.containsKey(it.room()))
            .map(Routing::homeless)
            .toList());
    keep(letters);
  }

  /** The live meetings of each room that the evidence names. */
  Map<String, List<Meeting>> byRoom(Collection<Evidence> evidence) {
    Set<String> names = new LinkedHashSet<>();
    evidence.forEach(one -> names.add(one.room()));
    Map<String, List<Meeting>> found = new HashMap<>();
    if (!names.isEmpty()) {
      for (Meeting meeting : meetings.inRooms(platform, names)) {
        found.computeIfAbsent(meeting.room(), room -> new ArrayList<>()).add(meeting);
      }
    }
    return found;
  }

  static Arrival.Letter homeless(Evidence evidence) {
    return new Arrival.Letter("unknown room", Json.write(evidence));
  }

  /** Writes dead letters, in one statement. */
  void keep(List<Arrival.Letter> letters) {
    if (letters.isEmpty()) {
      return;
    }
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into dead_letters (source, reason, body)
                        select 'daily', reason, convert_to(body, 'UTF8')
                        from unnest(?::text[], ?::text[]) as letter (reason, body)
                        """)
                    .with(
                        letters.stream().map(Arrival.Letter::reason).toArray(String[]::new),
                        letters.stream().map(letter -> clean(letter.body())).toArray(String[]::new))
                    .update());
    for (Arrival.Letter letter : letters) {
      meters.letter(letter.reason());
      signals.routed().emit(letter.reason());
    }
  }

  /** Text that Postgres accepts, whatever bytes it came from. */
  private static String clean(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        .replace("\0", "");
  }

  private List<String> next() {
    return redis.call(commands -> commands.lrange(Keys.UNROUTED, 0, BATCH - 1));
  }

  private boolean lock() {
    String answer =
        redis.call(
            commands ->
                commands.set(Keys.UNROUTED_LOCK, "1", SetArgs.Builder.nx().px(LOCK.toMillis())));
    return "OK".equals(answer);
  }
}
