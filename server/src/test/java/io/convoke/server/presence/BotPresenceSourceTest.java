package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.platform.BotRoomReport;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceTestKit.Node;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Presence on platforms that cannot be polled, from bot reports. */
class BotPresenceSourceTest {
  private final Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS).minusSeconds(600);
  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private Participant person(String name, int joined) {
    return new Participant(
        "s-" + name, Optional.empty(), Optional.of(name), start.plusSeconds(joined));
  }

  private PresenceEvent came(String name, int joined) {
    return event(
        "c:" + name + joined, PresenceEvent.PresenceEventKind.JOINED, name, joined, joined);
  }

  private PresenceEvent went(String name, int joined, int left) {
    return event("w:" + name + left, PresenceEvent.PresenceEventKind.LEFT, name, joined, left);
  }

  private PresenceEvent event(
      String id,
      PresenceEvent.PresenceEventKind presenceEventKind,
      String name,
      int joined,
      int at) {
    return new PresenceEvent(
        id,
        presenceEventKind,
        "",
        "s-" + name,
        Optional.empty(),
        Optional.of(name),
        Optional.of(start.plusSeconds(joined)),
        start.plusSeconds(at),
        false,
        true);
  }

  private static BotRoomReport report(PresenceEvent... events) {
    return new BotRoomReport(List.of(events), Optional.empty());
  }

  private BotRoomReport everybody(int at, Participant... people) {
    return new BotRoomReport(
        List.of(),
        Optional.of(new RoomPresence.RoomPresenceComplete(List.of(people), start.plusSeconds(at))));
  }

  private List<String> told(long meeting) {
    return Stream.of("participant.joined", "participant.left")
        .flatMap(
            type ->
                kit.events(meeting, type).stream()
                    .map(
                        it ->
                            type.substring(12)
                                + " "
                                + it.path("user_name").asString()
                                + " by "
                                + it.path("source").asString()))
        .toList();
  }

  private Instant leftAt(String session) {
    return kit.database.read(
        tx ->
            tx.sql("select left_at from participant_sessions where session_id = ?")
                .with(session)
                .one(resultRow -> resultRow.instant("left_at")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"google_meet", "zoom", "teams"})
  void whoTheBotSeesIsThereAndWhoItSeesGoIsGone(String platform) throws Exception {
    Node node = kit.api(PresenceTestKit.quick());
    long meeting = kit.row(platform, "abc-defg-hij", "active", false);

    node.presence().witness().report(meeting, platform, everybody(0, person("Ada", -60)));
    node.presence()
        .witness()
        .report(meeting, platform, report(came("Bob", 5), went("Ada", -60, 9)));
    // The response was lost and the bot repeats the report.
    node.presence()
        .witness()
        .report(meeting, platform, report(came("Bob", 5), went("Ada", -60, 9)));

    JsonNode participants = kit.participants(node, meeting);
    assertThat(kit.names(node, meeting)).containsExactly("Bob");
    assertThat(participants.path("num_clients").asInt()).isEqualTo(1);
    assertThat(participants.path("source").asString()).isEqualTo("bot");
    assertThat(participants.path("poll_state").asString()).isEqualTo("idle");
    assertThat(Instant.parse(participants.path("as_of").asString()))
        .isEqualTo(start.plusSeconds(9));
    assertThat(leftAt("s-Ada")).isEqualTo(start.plusSeconds(9));
    assertThat(told(meeting))
        .containsExactly("joined Ada by bot", "joined Bob by bot", "left Ada by bot");
    assertThat(kit.exists(PresenceKeys.flag(meeting))).isFalse();
    assertThat(kit.exists(PresenceKeys.READY)).isFalse();
  }

  @Test
  void theFirstReportOfALeaveIsKept() {
    Node node = kit.api(PresenceTestKit.quick());
    long meeting = kit.row("zoom", "123", "active", false);
    node.presence().witness().report(meeting, "zoom", report(came("Ada", 0), went("Ada", 0, 9)));
    // Another launch of the bot restarts the numbers of its events.
    node.presence().witness().report(meeting, "zoom", report(went("Ada", 0, 30)));
    assertThat(leftAt("s-Ada")).isEqualTo(start.plusSeconds(9));
    assertThat(kit.events(meeting, "participant.left")).hasSize(1);
  }

  @Test
  void aReplacingBotClosesSessionsThatItMissesTwiceAndNoneAfterOneReport() {
    Node node = kit.api(PresenceTestKit.quick());
    long meeting = kit.row("zoom", "123", "active", false);
    node.presence()
        .witness()
        .report(meeting, "zoom", everybody(0, person("Ada", -60), person("Bob", -50)));

    node.presence().witness().report(meeting, "zoom", everybody(100, person("Ada", -60)));
    assertThat(kit.numClients(meeting)).isEqualTo(2);
    node.presence().witness().report(meeting, "zoom", everybody(110, person("Ada", -60)));
    assertThat(kit.numClients(meeting)).isEqualTo(2);
    node.presence().witness().report(meeting, "zoom", everybody(116, person("Ada", -60)));
    assertThat(kit.numClients(meeting)).isEqualTo(1);
    // No event for Bob's leave: his session ends when he was last seen.
    assertThat(leftAt("s-Bob")).isEqualTo(start);
  }

  @Test
  void theEndOfTheBotsMeetingClosesWhatItAloneHadSeen() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = kit.row("teams", "19:meeting", "active", false);
    node.presence().witness().report(meeting, "teams", report(came("Ada", 0), came("Bob", 1)));
    assertThat(kit.numClients(meeting)).isEqualTo(2);

    try (SignalObservation<Long> closed = node.presence().signals().closed().observe()) {
      kit.move(meeting, "failed");
      long _ = closed.await(it -> it == meeting, PresenceTestKit.SOON);
    }
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.events(meeting, "participant.left")).hasSize(2);

    // A delayed report does not reopen the session.
    node.presence().witness().report(meeting, "teams", report(came("Cleo", 2)));
    assertThat(kit.numClients(meeting)).isZero();
    assertThat(kit.number("select count(*)::int from participant_sessions where left_at is null"))
        .isZero();
  }

  @Test
  void aTrackedMeetingOfTheSameUserAndRoomSeesWhatTheBotSeesUntilItGoes() {
    Node node = kit.node(PresenceTestKit.quick());
    long tracked = kit.row("zoom", "123", "active", true);
    long elsewhere = kit.row("zoom", "456", "active", true);
    long bot = kit.row("zoom", "123", "active", false);
    node.presence().witness().report(bot, "zoom", report(came("Ada", 0)));
    assertThat(kit.numClients(tracked)).isEqualTo(1);
    assertThat(kit.numClients(elsewhere)).isZero();

    try (SignalObservation<Long> closed = node.presence().signals().closed().observe()) {
      kit.move(bot, "completed");
      long _ = closed.await(it -> it == bot, PresenceTestKit.SOON);
    }
    assertThat(kit.numClients(tracked)).isZero();
    assertThat(kit.events(tracked, "participant.left")).hasSize(1);

    // Another bot finds her still present much later: the same session continues.
    long next = kit.row("zoom", "123", "active", false);
    node.presence().witness().report(next, "zoom", everybody(700, person("Ada", 0)));
    assertThat(kit.numClients(tracked)).isEqualTo(1);
    assertThat(
            kit.number(
                "select count(*)::int from participant_sessions where meeting_id = " + tracked))
        .isEqualTo(1);
  }

  @Test
  void aReportThatComesAfterTheEndOfTheBotChangesNoTrackedMeeting() {
    Node node = kit.api(PresenceTestKit.quick());
    long tracked = kit.row("zoom", "123", "active", true);
    long bot = kit.row("zoom", "123", "active", false);
    kit.move(bot, "completed");

    node.presence().witness().report(bot, "zoom", report(came("Ada", 0)));
    assertThat(kit.numClients(tracked)).isZero();
  }

  /** As with a server that was stopped, or without its database, when the bots ended. */
  @Test
  void anEndOfABotThatWasMissedClosesTheSessionsOfTrackedMeetingsLater() {
    Node node = kit.api(PresenceTestKit.quick());
    long tracked = kit.row("zoom", "123", "active", true);
    long bot = kit.row("zoom", "123", "active", false);
    long other = kit.row("zoom", "456", "active", true);
    long ahead = kit.row("zoom", "456", "active", false);
    node.presence().witness().report(bot, "zoom", report(came("Ada", 0)));
    // By a clock that is ahead he comes after the end of the bot.
    node.presence().witness().report(ahead, "zoom", report(came("Bob", 660)));

    node.presence().reconciler().housekeeping();
    assertThat(kit.numClients(tracked)).isEqualTo(1);

    kit.move(bot, "failed");
    kit.move(ahead, "failed");
    node.presence().reconciler().housekeeping();
    assertThat(kit.numClients(tracked)).isZero();
    assertThat(kit.numClients(other)).isZero();
    assertThat(kit.events(tracked, "participant.left")).hasSize(1);
    assertThat(
            kit.number(
                """
                select count(*)::int from participant_sessions s join meetings b
                  on b.end_time = s.left_at
                where b.id = %d and s.meeting_id = %d
                """
                    .formatted(bot, tracked)))
        .isEqualTo(1);
  }

  /** Those of polled platforms, whose own answers close such sessions, take no place of others. */
  @Test
  void allMeetingsThatNoBotSeesAnyMoreAreClosedInOneRound() {
    Node node = kit.api(PresenceTestKit.quick());
    open("daily", 3000);
    open("zoom", 201);

    node.presence().reconciler().housekeeping();
    assertThat(
            kit.number(
                """
                select count(*)::int from participant_sessions s join meetings m on m.id = s.meeting_id
                where s.left_at is null and m.platform = 'zoom'
                """))
        .isZero();
    assertThat(kit.number("select count(*)::int from participant_sessions where left_at is null"))
        .isEqualTo(3000);
  }

  /** Tracked meetings in rooms of their own, each with a session that a bot reported. */
  private void open(String platform, int meetings) {
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      with tracked as (
                        insert into meetings
                          (user_id, platform, platform_specific_id, status, tracked)
                        select ?, ?, n::text, 'active', true from generate_series(1, ?) n
                        returning id)
                      insert into participant_sessions
                        (meeting_id, session_id, joined_at, join_source, last_seen_at)
                      select id, 's1', now() - interval '1 minute', 'bot', now() from tracked
                      """)
                  .with(kit.user, platform, meetings)
                  .update();
        });
  }

  @Test
  void aMeetingWhoseSessionsCannotBeClosedKeepsNoOtherFromIt() {
    Node node = kit.api(PresenceTestKit.quick());
    long broken = kit.row("zoom", "1", "completed", false);
    long ended = kit.row("zoom", "2", "completed", false);
    long unobserved = kit.row("zoom", "3", "active", true);
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        insert into participant_sessions
                          (meeting_id, session_id, joined_at, join_source, last_seen_at)
                        select unnest(?::bigint[]), 's1', now() - interval '1 minute', 'bot', now()
                        """)
                    .with((Object) new Long[] {broken, ended, unobserved})
                    .update());
    int _ =
        kit.database.read(
            tx ->
                tx.sql(
                        """
                        create function refuse() returns trigger language plpgsql as $$
                        begin
                          raise 'refused';
                        end $$;
                        create trigger refuse before update on participant_sessions
                          for each row when (old.meeting_id = %d) execute function refuse();
                        """
                            .formatted(broken))
                    .update());

    node.presence().reconciler().housekeeping();
    assertThat(kit.number("select meeting_id::int from participant_sessions where left_at is null"))
        .isEqualTo((int) broken);
  }

  @Test
  void aMeetingThatOnlyABotSeesIsNeverPolled() {
    Node node = kit.node(PresenceTestKit.quick());
    long meeting = kit.row("google_meet", "abc", "active", false);
    node.presence().witness().report(meeting, "google_meet", report(came("Ada", 0)));

    assertThat(node.presence().reconciler().tick()).isFalse();
    assertThat(kit.exists(PresenceKeys.ROOMS)).isFalse();
    assertThat(kit.number("select count(*)::int from presence where due_at < 'infinity'")).isZero();
    assertThat(kit.numClients(meeting)).isEqualTo(1);
  }

  @Test
  void wherePresenceAsksThePlatformTheBotIsNoSecondWitness() {
    Node node = kit.api(PresenceTestKit.quick());
    long meeting = kit.row("standup", "active", false);
    node.presence().witness().report(meeting, "daily", report(came("Ada", 0)));
    assertThat(kit.numClients(meeting)).isZero();
  }
}
