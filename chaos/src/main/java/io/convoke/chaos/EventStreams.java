package io.convoke.chaos;

import io.convoke.chaos.kernel.StreamRule.ReadStream;
import io.convoke.chaos.kernel.StreamRule.SequencedEvent;
import io.convoke.chaos.kernel.StreamRule.Streams;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.EventStreamReader;
import io.convoke.fakes.client.StreamedEvent;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Readers of the event stream of one run: an admin, and users, each of whom may see their own. They
 * also try to read what belongs to others.
 */
public final class EventStreams implements AutoCloseable {
  private static final Duration ARRIVES_MAX = Duration.ofSeconds(10);

  private final List<URI> servers;
  private final List<Reader> readers = new ArrayList<>();

  private record Reader(String name, long tenant, EventStreamReader stream) {}

  private final Map<Long, ApiClient> users = new TreeMap<>();

  /** Reads as the admin from the first event on. */
  public EventStreams(ApiClient admin, List<URI> servers) {
    this.servers = servers;
    readers.add(new Reader("the admin", 0, EventStreamReader.start(admin, servers)));
  }

  /** Reads as a user, too. */
  public void add(ApiClient.CreatedUser user) {
    readers.add(
        new Reader("user " + user.id(), user.id(), EventStreamReader.start(user.api(), servers)));
    users.put(user.id(), user.api());
  }

  /** Number of connections opened so far. */
  public int connections() {
    return readers.stream().mapToInt(reader -> reader.stream().connections()).sum();
  }

  /** The journal, what each reader received once all of it had time to arrive, and their reads. */
  public Streams gather(Connection connection) throws SQLException, InterruptedException {
    List<SequencedEvent> journal =
        SqlReader.list(
            connection,
            "select seq, coalesce(user_id, 0), type, subject, data::text"
                + " from convoke.events order by seq",
            row ->
                new SequencedEvent(
                    row.getLong(1),
                    row.getLong(2),
                    content(
                        row.getString(3),
                        row.getString(4),
                        JsonMapper.shared().readTree(row.getString(5)))));
    long last = journal.isEmpty() ? 0 : journal.getLast().seq();
    List<ReadStream> streams = new ArrayList<>();
    for (Reader reader : readers) {
      long awaited =
          journal.stream()
              .filter(event -> reader.tenant() == 0 || event.tenant() == reader.tenant())
              .mapToLong(SequencedEvent::seq)
              .max()
              .orElse(0);
      boolean _ = reader.stream().awaitSeq(awaited, ARRIVES_MAX);
      streams.add(
          new ReadStream(
              reader.name(),
              reader.tenant(),
              reader.stream().events().stream()
                  .filter(event -> event.seq() <= last)
                  .map(EventStreams::sequenced)
                  .toList()));
    }
    return new Streams(
        List.copyOf(streams), journal, new TenantReads(users).read(owners(connection)));
  }

  /** By subject; 0 for what belongs to no user. */
  private static Map<String, Long> owners(Connection connection) throws SQLException {
    Map<String, Long> owners = new TreeMap<>();
    SqlReader.list(
            connection,
            "select subject, coalesce(max(user_id), 0) from convoke.events group by subject",
            row -> Map.entry(row.getString(1), row.getLong(2)))
        .forEach(entry -> owners.put(entry.getKey(), entry.getValue()));
    return owners;
  }

  @Override
  public void close() {
    readers.forEach(reader -> reader.stream().close());
  }

  private static SequencedEvent sequenced(StreamedEvent event) {
    return new SequencedEvent(event.seq(), 0, content(event.type(), event.subject(), event.data()));
  }

  private static String content(String type, String subject, JsonNode data) {
    return type + " " + subject + " " + sorted(data);
  }

  /** With the members of each object by name, since stores keep no order. */
  private static String sorted(JsonNode node) {
    if (node.isObject()) {
      Map<String, String> members = new TreeMap<>();
      node.properties().forEach(member -> members.put(member.getKey(), sorted(member.getValue())));
      return members.toString();
    }
    return node.isArray()
        ? node.valueStream().map(EventStreams::sorted).collect(Collectors.joining(",", "[", "]"))
        : node.toString();
  }
}
