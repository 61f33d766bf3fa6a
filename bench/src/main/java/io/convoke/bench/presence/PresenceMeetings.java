package io.convoke.bench.presence;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.load.ServerCandidate;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.webhook.WebhookSignature;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** Active meetings with one participant each, in the rows and on the fake platform. */
final class PresenceMeetings implements AutoCloseable {
  private final BenchEnvironment environment;
  private final FakeDaily platform;
  private final CountingRedisProxy redisProxy;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Makes the tables and inserts the meetings. */
  PresenceMeetings(BenchEnvironment environment, FakeDaily platform, int number)
      throws IOException, SQLException {
    this.environment = environment;
    this.platform = platform;
    this.redisProxy = new CountingRedisProxy(URI.create(environment.redisUrl()));
    try (ServerCandidate api = startServer("setup", "api", Map.of())) {
      ApiClient _ =
          ApiClient.admin(api.url(), environment.adminToken()).newUser("bench@example.com");
    }
    environment.run(
        """
        insert into convoke.meetings
          (user_id, platform, platform_specific_id, status, tracked, num_clients, start_time)
        select (select min(id) from convoke.users), 'daily', 'room-' || i, 'active', true, 1,
          now() from generate_series(0, %d) i
        """
            .formatted(number - 1));
    environment.run(
        """
        insert into convoke.participant_sessions
          (meeting_id, session_id, user_name, joined_at, join_source, last_seen_at)
        select id, 'session-' || substr(platform_specific_id, 6), 'Participant',
          now() - interval '10 minutes', 'webhook', now() from convoke.meetings
        """);
    environment.run(
        """
        insert into convoke.presence (meeting_id, as_of, source, polled_at, due_at)
        select id, now(), 'bulk', now(), now() from convoke.meetings
        """);
    environment.run("analyze");
  }

  /** Ends all meetings but the first {@code number}. */
  void keepOnly(int number) throws SQLException {
    environment.run(
        """
        update convoke.participant_sessions set left_at = now()
        where left_at is null and meeting_id in (
          select id from convoke.meetings where substr(platform_specific_id, 6)::int >= %d)
        """
            .formatted(number));
    environment.run(
        """
        update convoke.meetings set status = 'completed', end_time = now(), num_clients = 0
        where substr(platform_specific_id, 6)::int >= %d
        """
            .formatted(number));
    environment.run("vacuum analyze");
  }

  /** Starts a server whose commands to Redis are counted. */
  ServerCandidate startCountedServer(String name, String roles, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("CONVOKE_REDIS_URL", redisProxy.url());
    return startServer(name, roles, all);
  }

  ServerCandidate startServer(String name, String roles, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("CONVOKE_DAILY_WEBHOOK_SECRET", environment.webhookSecret());
    all.put("CONVOKE_DAILY_API_KEY", "bench");
    all.put("CONVOKE_DAILY_API_URL", platform.url());
    return environment.startServer(name, roles, all);
  }

  /** A participant joins a room and the server gets the webhook; returns the session. */
  String join(URI server, int room) throws IOException, InterruptedException {
    String session = UUID.randomUUID().toString();
    platform.join(room, session);
    double now = Instant.now().toEpochMilli() / 1000.0;
    byte[] body =
        String.format(
                Locale.ROOT,
                """
                {"version":"1.1.0","type":"participant.joined","id":"%s","payload":{"joined_at":%.3f,\
                "session_id":"%s","room":"%s","user_id":null,"user_name":"Newcomer","owner":false,\
                "permissions":{"hasPresence":true}},"event_ts":%.3f}\
                """,
                UUID.randomUUID(),
                now,
                session,
                FakeDaily.room(room),
                now)
            .getBytes(StandardCharsets.UTF_8);
    String timestamp = Long.toString(Instant.now().getEpochSecond());
    HttpResponse<Void> answer =
        http.send(
            HttpRequest.newBuilder(server.resolve("/webhooks/daily"))
                .header("Content-Type", "application/json")
                .header("X-Webhook-Timestamp", timestamp)
                .header(
                    "X-Webhook-Signature",
                    WebhookSignature.sign(environment.webhookSecret(), timestamp, body))
                .POST(BodyPublishers.ofByteArray(body))
                .build(),
            BodyHandlers.discarding());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException("a webhook was answered " + answer.statusCode());
    }
    return session;
  }

  /** Open sessions in the rows. */
  long openSessions() throws SQLException {
    return environment.number(
        "select count(*) from convoke.participant_sessions where left_at is null");
  }

  /** Commands that the counted servers sent. */
  long commandsSent() {
    return redisProxy.calls();
  }

  /** Commands that Redis ran, those inside scripts included. */
  long commandsRun() {
    return Long.parseLong(environment.info("stats", "total_commands_processed"));
  }

  @Override
  public void close() throws IOException {
    redisProxy.close();
  }
}
