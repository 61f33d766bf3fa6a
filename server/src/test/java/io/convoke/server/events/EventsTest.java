package io.convoke.server.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.EventReader;
import io.convoke.server.http.TestDatabase;
import io.convoke.server.http.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The journal over HTTP, as a list and as a stream, filtered by caller. */
class EventsTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private Database database;
  private Journal journal;
  private TestServer server;

  @BeforeEach
  void start() {
    database = TestDatabase.fresh();
    journal = new Journal(database);
    server = TestServer.of(new EventsEndpoints(journal).endpoints().toArray(Endpoint[]::new));
    long _ = user("ann");
    long _ = user("bob");
  }

  @AfterEach
  void stop() {
    server.close();
    journal.close();
    database.close();
  }

  private long user(String name) {
    return database.read(
        tx ->
            tx.sql("insert into users (email) values (?) returning id")
                .with(name + "@x.org")
                .one(resultRow -> resultRow.longAt("id")));
  }

  private void happens(String type, String subject, Optional<Long> user, int n) {
    database.run(
        tx -> journal.append(tx, List.of(NewJournalEvent.of(type, subject, user, Map.of("n", n)))));
  }

  @Test
  void a_list_goes_on_where_it_ended() {
    for (int n = 1; n <= 5; n++) {
      happens("participant.joined", "meeting:42", Optional.of(1L), n);
    }
    ContractClient ann = server.user(1);
    List<Integer> seen = new ArrayList<>();
    var page = ann.get("/events?limit=2").expect(200).json();
    long after = 0;
    while (!page.path("items").isEmpty()) {
      page.path("items").forEach(item -> seen.add(item.at("/data/n").asInt()));
      after = page.path("next_after").asLong();
      page = ann.get("/events?limit=2&after=" + after).expect(200).json();
    }
    assertThat(seen).containsExactly(1, 2, 3, 4, 5);
    assertThat(page.path("next_after").asLong()).isEqualTo(after);
  }

  @Test
  void users_see_their_own_and_admins_see_all() {
    happens("meeting.status_changed", "meeting:1", Optional.of(1L), 1);
    happens("meeting.status_changed", "meeting:2", Optional.of(2L), 2);
    happens("sweep.done", "system", Optional.empty(), 3);

    assertThat(numbers(server.user(1), "/events")).containsExactly(1);
    assertThat(numbers(server.user(2), "/events")).containsExactly(2);
    assertThat(numbers(server.user(1), "/events?user_id=2")).containsExactly(1);
    assertThat(numbers(server.admin(), "/events")).containsExactly(1, 2, 3);
    assertThat(numbers(server.admin(), "/events?user_id=2")).containsExactly(2);
    assertThat(numbers(server.admin(), "/events?subject=system")).containsExactly(3);
    assertThat(numbers(server.admin(), "/events?type=meeting.status_changed&after=1"))
        .containsExactly(2);
    server.anonymous().get("/events").expect(401);
    server.user(1).get("/events?after=-1").expect(400);
    server.user(1).get("/events?after=x").expect(400);
  }

  private static List<Integer> numbers(ContractClient client, String path) {
    return client
        .get(path)
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .map(item -> item.at("/data/n").asInt())
        .toList();
  }

  @Test
  void a_list_may_begin_at_its_end_or_at_a_moment() {
    for (int n = 1; n <= 6; n++) {
      happens("a", "s", Optional.of(1L), n);
    }
    ContractClient ann = server.user(1);
    assertThat(numbers(ann, "/events?order=newest")).containsExactly(6, 5, 4, 3, 2, 1);
    var page = ann.get("/events?order=newest&limit=4&after=1").expect(200).json();
    String cursor = page.path("next_cursor").asString();
    assertThat(page.path("items").valueStream().map(item -> item.at("/data/n").asInt()))
        .containsExactly(6, 5, 4, 3);
    assertThat(numbers(ann, "/events?order=newest&after=1&cursor=" + cursor)).containsExactly(2);
    assertThat(numbers(ann, "/events?order=newest&before=3")).containsExactly(2, 1);
    assertThat(numbers(ann, "/events?before=3")).containsExactly(1, 2);

    int _ =
        database.read(
            tx ->
                tx.sql(
                        "update events set at = '2026-11-22T10:00:00Z'::timestamptz + seq *"
                            + " interval '1 min'")
                    .update());
    assertThat(numbers(ann, "/events?since=2026-11-22T10:03:00Z&until=2026-11-22T10:05:00Z"))
        .containsExactly(3, 4);
    assertThat(numbers(ann, "/events?order=newest&until=2026-11-22T10:02:30Z"))
        .containsExactly(2, 1);
    assertThat(numbers(ann, "/events?since=2026-11-22T12:00:00Z")).isEmpty();
    assertThat(numbers(ann, "/events?until=2026-11-22T09:00:00Z")).isEmpty();
    ann.get("/events?since=yesterday").expect(400);
    ann.get("/events?since=2030-01-01%2000:00:00Z").expect(400, "bad_request");
    ann.get("/events?until=2030-01-01%2000:00:00Z").expect(400, "bad_request");
    ann.get("/events?order=best").expect(400);
  }

  @Test
  void a_stream_shows_what_happens_and_resumes_without_a_gap() throws Exception {
    happens("participant.joined", "meeting:42", Optional.of(1L), 1);
    ContractClient ann = server.user(1);
    String last;
    try (EventReader stream = ann.events("/events?after=0")) {
      assertThat(stream.next(SOON).data().at("/data/n").asInt()).isEqualTo(1);
      happens("participant.left", "meeting:42", Optional.of(2L), 99);
      happens("participant.left", "meeting:42", Optional.of(1L), 2);
      EventReader.Event left = stream.next(SOON);
      assertThat(left.type()).isEqualTo("participant.left");
      assertThat(left.data().at("/data/n").asInt()).isEqualTo(2);
      assertThat(left.data().path("seq").asLong()).isEqualTo(Long.parseLong(left.id()));
      last = left.id();
    }
    happens("participant.joined", "meeting:42", Optional.of(1L), 3);
    happens("participant.joined", "meeting:42", Optional.of(1L), 4);

    try (EventReader resumed = ann.with("Last-Event-ID", last).events("/events?after=0")) {
      assertThat(resumed.next(SOON).data().at("/data/n").asInt()).isEqualTo(3);
      assertThat(resumed.next(SOON).data().at("/data/n").asInt()).isEqualTo(4);
    }
  }

  @Test
  void a_stream_may_be_asked_for_in_upper_case() throws Exception {
    happens("a", "s", Optional.of(1L), 1);
    ContractClient ann = server.user(1).with("Accept", "TEXT/EVENT-STREAM");
    try (EventReader stream = ann.events("/events?after=0")) {
      assertThat(stream.next(SOON).data().at("/data/n").asInt()).isEqualTo(1);
    }
  }

  @Test
  void a_stream_without_a_place_begins_now() throws Exception {
    happens("a", "s", Optional.of(1L), 1);
    try (EventReader stream = server.user(1).events("/events")) {
      assertThat(stream.comment(SOON)).isEqualTo("open");
      happens("a", "s", Optional.of(1L), 2);
      assertThat(stream.next(SOON).data().at("/data/n").asInt()).isEqualTo(2);
    }
  }
}
