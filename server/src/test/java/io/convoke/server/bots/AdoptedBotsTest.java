package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.launch.Await;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.schemaimport.SchemaImporter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bots of imported rows (bots-16). */
class AdoptedBotsTest {
  private static final long ADA = 1;
  private final FakeLauncher launcher = new FakeLauncher();
  private final BotsTestServer testServer = BotsTestServer.open(launcher);

  @BeforeEach
  void takeOver() throws IOException {
    try (InputStream dump = getClass().getResourceAsStream("/adopt/seed001.sql")) {
      String sql = new String(Objects.requireNonNull(dump).readAllBytes(), StandardCharsets.UTF_8);
      int _ = testServer.database.read(tx -> tx.sql(sql).update());
    }
    var _ = new SchemaImporter(testServer.database, "old").importSchema(testServer.journal);
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void requestedReadsAsReservedAndErrorAsFailed() {
    assertThat(apiStatus(10)).isEqualTo("reserved");
    assertThat(testServer.get(7, "/meetings/18").expect(200).json().path("status").asString())
        .isEqualTo("failed");
    assertThat(ids("/meetings?status=reserved")).containsExactlyInAnyOrder(10L, 11L);
    assertThat(ids("/bots/active")).containsExactlyInAnyOrder(10L, 11L, 12L, 13L, 14L, 15L);
    assertThat(testServer.get(2, "/meetings/17").expect(200).json().path("status").asString())
        .isEqualTo("failed");
  }

  @Test
  void whatWaitedForTooLongIsNotSentIntoItsMeetingMonthsLater() {
    testServer.bots.start();
    for (long meeting : new long[] {10, 11}) {
      Await.until("meeting " + meeting + " to end", () -> testServer.status(meeting).terminal());
      assertThat(testServer.status(meeting)).isEqualTo(MeetingStatus.FAILED);
      assertThat(testServer.outcome(meeting).path("reason").asString()).isEqualTo("start_missed");
    }
    assertThat(launcher.launches).isEmpty();
  }

  @Test
  void aBotThatItsLauncherNoLongerKnowsEndsAtItsDeadline() throws Exception {
    // They are older than any bot may become, which a sweep may find first.
    testServer.database.run(
        tx -> {
          int _ = tx.sql("update meetings set max_lifetime_ms = 1000000000000").with().update();
        });
    testServer.upForEver();
    testServer.bots.start();
    Await.until("the reserved to be settled", () -> testServer.status(11).terminal());
    var _ = testServer.bots.sweeper().sweep();
    for (long meeting : new long[] {12, 13, 14, 15}) {
      assertThat(testServer.status(meeting))
          .as("meeting %d", meeting)
          .isEqualTo(MeetingStatus.FAILED);
      assertThat(testServer.row(meeting).meeting().endTime()).isPresent();
    }
    assertThat(testServer.outcome(13).path("reason").asString()).isEqualTo("heartbeat_lost");
    assertThat(testServer.row(13).meeting().data().path("name").asString()).isEqualTo("Weekly");
  }

  @Test
  void theirPlacesCountAndTheirMeetingsAreTakenWhileTheyLive() {
    assertThat(
            testServer
                .user(
                    ADA,
                    "POST",
                    "/bots/start",
                    Map.of("platform", "zoom", "native_meeting_id", "333"))
                .expect(409)
                .code())
        .isEqualTo("bot_already_there");
    assertThat(testServer.start(ADA, "standup").expect(429).code()).isEqualTo("bot_limit_reached");
    testServer.start(7, "standup").expect(429);
    testServer.start(2, "standup").expect(201);
  }

  @Test
  void theyCanBeStopped() {
    testServer.user(ADA, "POST", "/bots/stop", Map.of("meeting_id", 13)).expect(202);
    testServer.user(ADA, "POST", "/bots/stop", Map.of("meeting_id", 16)).expect(202);
    assertThat(testServer.row(13).stopRequested()).isTrue();
    assertThat(testServer.row(13).connectionId())
        .as("the last session that is one of ours by its form")
        .isEqualTo("22222222-2222-4222-8222-222222222222");
  }

  private String apiStatus(long meeting) {
    return testServer.get(ADA, "/meetings/" + meeting).expect(200).json().path("status").asString();
  }

  private List<Long> ids(String path) {
    return testServer
        .get(ADA, path)
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .map(item -> item.path("id").asLong())
        .toList();
  }
}
