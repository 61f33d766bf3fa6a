package io.convoke.chaos;

import io.convoke.chaos.kernel.TenantRule.TenantRead;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads as each user what belongs to them and what belongs to others, by address and in lists. What
 * belongs to a user is known from the subjects of the journal, such as {@code meeting:42}.
 */
public final class TenantReads {
  /** Subjects of each user and kind; reading all would take longer than a run. */
  private static final int EACH = 4;

  private static final String MEETING = "meeting";

  /** Addresses that a kind of subject has. */
  private static final Map<String, List<String>> ADDRESSES =
      Map.of(
          MEETING,
          List.of(
              "/meetings/%s",
              "/meetings/%s/participants",
              "/meetings/%s/timeline",
              "/meetings/%s/recordings",
              "/transcripts/%s",
              "/bots/status?meeting_id=%s"),
          "recording",
          List.of("/recordings/%s", "/recordings/%s/audio"),
          "task",
          List.of("/tasks/%s", "/tasks/%s/timeline"));

  /** A list, the kind of what it lists, and the field with its id. */
  private record ListAddress(String path, String kind, String field) {}

  private static final List<ListAddress> LISTS =
      List.of(
          new ListAddress("/meetings?limit=200", MEETING, "id"),
          new ListAddress("/bots/active?limit=200", MEETING, "id"),
          new ListAddress("/bots/status?limit=200", MEETING, "meeting_id"),
          new ListAddress("/recordings?limit=200", "recording", "recording_id"),
          new ListAddress("/tasks?limit=200", "task", "id"));

  private final Map<Long, ApiClient> users;

  /** By the id of each user. */
  public TenantReads(Map<Long, ApiClient> users) {
    this.users = Map.copyOf(users);
  }

  /**
   * Reads all.
   *
   * @param owners the owner of each subject; 0 for what belongs to no user
   */
  public List<TenantRead> read(Map<String, Long> owners) {
    List<TenantRead> reads = new ArrayList<>();
    Map<String, Long> some = some(owners);
    Set<String> filters =
        Stream.concat(Stream.of(""), users.keySet().stream().map(user -> "&user_id=" + user))
            .collect(Collectors.toSet());
    users.forEach(
        (reader, client) -> {
          some.forEach(
              (subject, owner) -> {
                reads.addAll(one(reader, client, subject, owner));
                reads.add(events(reader, client, subject, owner));
              });
          for (ListAddress list : LISTS) {
            filters.forEach(filter -> reads.add(list(reader, client, list, filter, owners)));
          }
          reads.add(syncs(reader, client, some));
        });
    return List.copyOf(reads);
  }

  private static List<TenantRead> one(long reader, ApiClient client, String subject, long owner) {
    String id = subject.substring(subject.indexOf(':') + 1);
    return ADDRESSES.getOrDefault(kind(subject), List.of()).stream()
        .map(address -> address.formatted(id))
        .map(
            path -> {
              ApiReply reply = client.get(path);
              boolean own = owner == reader;
              return new TenantRead(
                  reader,
                  path,
                  reply.status(),
                  own,
                  own || !reply.ok() ? List.of() : List.of(subject));
            })
        .toList();
  }

  private static TenantRead events(long reader, ApiClient client, String subject, long owner) {
    String path = "/events?subject=" + subject;
    ApiReply reply = client.get(path);
    boolean own = owner == reader;
    boolean some = !reply.body().path("items").isEmpty();
    return new TenantRead(
        reader, path, reply.status(), own, some && !own ? List.of(subject) : List.of());
  }

  private static TenantRead list(
      long reader, ApiClient client, ListAddress list, String filter, Map<String, Long> owners) {
    String path = list.path() + filter;
    return listed(reader, path, client.get(path), list.kind(), list.field(), owners);
  }

  /** Asks for the syncs of meetings of all users at once. */
  private static TenantRead syncs(long reader, ApiClient client, Map<String, Long> owners) {
    String path =
        owners.keySet().stream()
            .filter(subject -> kind(subject).equals(MEETING))
            .map(subject -> "meeting_id=" + subject.substring(MEETING.length() + 1))
            .collect(Collectors.joining("&", "/sync-status?", ""));
    return listed(reader, path, client.get(path), MEETING, "meeting_id", owners);
  }

  private static TenantRead listed(
      long reader,
      String path,
      ApiReply reply,
      String kind,
      String field,
      Map<String, Long> owners) {
    List<String> foreign =
        reply
            .body()
            .path("items")
            .valueStream()
            .map(item -> kind + ":" + item.path(field).asString(""))
            .filter(subject -> owners.getOrDefault(subject, reader) != reader)
            .toList();
    return new TenantRead(reader, path, reply.status(), true, foreign);
  }

  /** Some subjects of each user and kind. */
  private static Map<String, Long> some(Map<String, Long> owners) {
    Map<String, Long> some = new LinkedHashMap<>();
    Map<List<Object>, Integer> counts = new LinkedHashMap<>();
    owners.forEach(
        (subject, owner) -> {
          if (counts.merge(List.of(kind(subject), owner), 1, Integer::sum) <= EACH) {
            some.put(subject, owner);
          }
        });
    return some;
  }

  private static String kind(String subject) {
    return subject.substring(0, Math.max(0, subject.indexOf(':')));
  }
}
