package io.convoke.server.meetings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.TableReads;
import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a repeated transcription adds to stored segments, and what a deletion reads. */
class MeetingTranscriptStoreTest {
  private static final StoredSegment YES = heard(1, "Yes");
  private static final StoredSegment NO = heard(2, "No");

  @Test
  void whatIsNotStoredIsAddedAsOftenAsItWasSaid() {
    assertThat(MeetingTranscriptStore.missing(List.of(), List.of(YES, NO)))
        .contains(List.of(YES, NO));
    assertThat(MeetingTranscriptStore.missing(List.of(NO, YES), List.of(YES, NO, YES, NO)))
        .contains(List.of(YES, NO));
    assertThat(MeetingTranscriptStore.missing(List.of(YES, YES), List.of(YES, YES)))
        .contains(List.of());
  }

  @Test
  void aStoredSegmentThatWasNotSaidAgainHasAllReplaced() {
    assertThat(MeetingTranscriptStore.missing(List.of(NO), List.of(YES))).isEmpty();
    assertThat(MeetingTranscriptStore.missing(List.of(YES, YES), List.of(YES, NO))).isEmpty();
  }

  /** Comparing each with each would take minutes, and a transaction may be idle for seconds. */
  @Test
  void veryLongTranscriptsAreComparedAtOnce() {
    List<StoredSegment> stored = many("before");
    List<StoredSegment> others = many("after");
    assertThat(
            assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> MeetingTranscriptStore.missing(stored, others)))
        .isEmpty();
  }

  /** A character may be one byte or three. */
  @Test
  void anEventHasAtMost64KibibytesInAnyLanguage() {
    for (String text : List.of("a".repeat(3000), "\u4f1a".repeat(1000))) {
      List<Segment> segments = IntStream.range(0, 100).mapToObj(at -> shown(at, text)).toList();
      List<List<Segment>> packs = MeetingTranscriptStore.packs(segments);
      assertThat(packs)
          .hasSizeBetween(5, 6)
          .allSatisfy(
              pack ->
                  assertThat(Json.bytes(new MeetingTranscriptStore.Stored(1, "bot", false, pack)))
                      .hasSizeLessThanOrEqualTo(64 * 1024));
      assertThat(packs.stream().flatMap(List::stream)).containsExactlyElementsOf(segments);
    }
  }

  @Test
  void aDeletionReadsTheDeliveriesOfItsMeetingAlone() {
    try (Database database =
            Database.open(
                DatabaseUrl.parse(MigratedDatabase.url()), 1, "test", Migrations.SCHEMAS);
        Journal journal = new Journal(database)) {
      long meeting = meeting(database);
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
                        select 1, 'meeting:' || ? + n, 'msg_1_' || n, 'transcript.segments',
                          '{"data": {"session_uid": "bot", "segments": [{"text": "Yes"}]}}'
                        from generate_series(0::bigint, 19999) n
                        """)
                    .with(meeting)
                    .update();
            int _ = tx.sql("analyze webhook_deliveries").update();
          });
      MeetingTranscriptStore store = new MeetingTranscriptStore(journal);
      long read =
          TableReads.of(
              database,
              "webhook_deliveries",
              () -> database.run(tx -> store.forget(tx, meeting, "bot")));
      assertThat(read).isLessThan(10);
      List<String> emptied =
          database.read(
              tx ->
                  tx.sql("select subject from webhook_deliveries where body not like '%Yes%'")
                      .list(resultRow -> resultRow.text("subject")));
      assertThat(emptied).containsExactly("meeting:" + meeting);
    }
  }

  private static long meeting(Database database) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    with ann as (
                      insert into users (email) values ('ann@example.org') returning id)
                    insert into meetings (user_id, platform, platform_specific_id, status)
                    select id, 'daily', 'stand-up', 'completed' from ann returning id
                    """)
                .one(resultRow -> resultRow.longAt("id")));
  }

  private static List<StoredSegment> many(String text) {
    return IntStream.range(0, 150_000).mapToObj(at -> heard(at, text)).toList();
  }

  private static Segment shown(int id, String text) {
    return new Segment(
        id,
        id,
        id + 1,
        text,
        Optional.empty(),
        Optional.empty(),
        Optional.of("bot"),
        Instant.EPOCH,
        Optional.empty(),
        true,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static StoredSegment heard(double start, String text) {
    return new StoredSegment(start, start + 1, text, Optional.empty(), Optional.empty(), true);
  }
}
