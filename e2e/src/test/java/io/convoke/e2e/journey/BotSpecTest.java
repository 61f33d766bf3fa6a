package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests write the bot's desired state only, never its status. And Redis has no bot state that
 * would be missed after a loss.
 */
@Tag("nightly")
final class BotSpecTest {
  /** Fires for every statement that names the column, also if the value is unchanged. */
  private static final String WATCH =
      """
      create table status_writes (meeting_id bigint, txid bigint, value text);
      create function note_status() returns trigger language plpgsql as $$
      begin
        insert into convoke.status_writes values (new.id, txid_current(), new.status);
        return new;
      end $$;
      create trigger watch_status after update of status on meetings
        for each row execute function note_status();
      """;

  /** Everything that is known of a meeting, but for its last sign of life and what that reports. */
  private static final String KNOWN =
      """
      select jsonb_build_object(
        'meeting', to_jsonb(m) - array['updated_at', 'progress', 'spoke_at'],
        'sessions', (select jsonb_agg(to_jsonb(s) order by s.id)
          from meeting_sessions s where s.meeting_id = m.id),
        'launches', (select jsonb_agg(to_jsonb(l)) from bot_launches l where l.meeting_id = m.id),
        'events', (select count(*) from events where subject = 'meeting:' || m.id
          and type like 'meeting.%')) as known
      from meetings m where m.id = ?
      """;

  @Test
  void noRequestWritesAStatusAndAForgetfulRedisChangesNoRow(@TempDir Path folder) {
    try (BotServerCluster fleet = new BotServerCluster(folder, 2, Map.of())) {
      int _ = fleet.database.transaction(tx -> tx.sql(WATCH).update());
      ApiClient user = fleet.user("spec", 1).api();
      long meeting = sendBot(fleet, user);
      await(fleet, meeting, "active");

      String before = known(fleet, meeting);
      long updatedAt = updatedAt(fleet, meeting);
      fleet.redis.flush();
      fleet.redis.stop();
      BotServerCluster.await(
          "a heartbeat without Redis", () -> updatedAt(fleet, meeting) > updatedAt);
      fleet.redis.restart();
      long updatedAgain = updatedAt(fleet, meeting);
      BotServerCluster.await(
          "a heartbeat after it", () -> updatedAt(fleet, meeting) > updatedAgain);
      assertThat(known(fleet, meeting)).isEqualTo(before);

      ok(user.at(fleet.url(1)).put("/bots/config", field(meeting, "language", "fr")));
      ok(user.at(fleet.url(0)).post("/bots/stop", Map.of("meeting_id", meeting)));
      ok(user.at(fleet.url(1)).post("/bots/stop", Map.of("meeting_id", meeting)));
      await(fleet, meeting, "completed");

      assertThat(
              fleet.count(
                  "select count(*) as n from events where type = 'bot.command_sent' and subject ="
                      + " ?",
                  "meeting:" + meeting))
          .as("the requests wrote their commands; the second stop none if the first still waits")
          .isBetween(2L, 3L);
      assertThat(fleet.count("select count(*) as n from status_writes"))
          .as("starting, active, stopping, completed")
          .isEqualTo(4);
      assertThat(
              fleet.count(
                  """
                  select count(*) as n from status_writes w join events e
                    on e.xmin::text::bigint = w.txid & 4294967295 where e.type = 'bot.command_sent'
                  """))
          .as("writes of a status in the transaction of a request")
          .isZero();
    }
  }

  private static long sendBot(BotServerCluster fleet, ApiClient user) {
    assertThat(fleet.simulator.world().create(RoomRequest.named("standup"))).isPresent();
    var _ = fleet.simulator.world().join("standup", Visitor.named("Ada"));
    ApiReply apiReply =
        user.post(
            "/bots/start",
            Map.of(
                "platform",
                "daily",
                "native_meeting_id",
                "standup",
                "meeting_url",
                fleet.simulator.roomUrl("standup").toString()));
    assertThat(apiReply.status()).isEqualTo(201);
    return apiReply.body().path("id").asLong();
  }

  private static void await(BotServerCluster fleet, long meeting, String status) {
    BotServerCluster.await(
        "the bot is " + status,
        () ->
            fleet.count(
                    "select count(*) as n from meetings where id = ? and status = ?",
                    meeting,
                    status)
                == 1);
  }

  private static String known(BotServerCluster fleet, long meeting) {
    return fleet.database.read(
        tx -> tx.sql(KNOWN).with(meeting).one(resultRow -> resultRow.json("known").toString()));
  }

  private static long updatedAt(BotServerCluster fleet, long meeting) {
    return fleet.count(
        "select (extract(epoch from updated_at) * 1000)::bigint as n from meetings where id = ?",
        meeting);
  }

  private static Map<String, Object> field(long meeting, String name, String value) {
    return Map.of("meeting_id", meeting, name, value);
  }

  private static void ok(ApiReply apiReply) {
    assertThat(apiReply.status()).isEqualTo(202);
  }
}
