package io.convoke.bench.sync;

import io.convoke.bench.LogSilencer;
import io.convoke.bench.load.ReferenceServer;
import io.helidon.http.Header;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerResponse;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/**
 * The references, on the same HTTP server with the same listener: {@code bare} answers a poll with
 * the bytes of Convoke's response and does no work, {@code naive} does the work of a first version.
 * Configured by environment like any server.
 */
public final class SyncReferenceServer {
  static final String PATH = "/sync-status";
  static final String BODY = "REFERENCE_BODY";
  static final String HEADERS = "REFERENCE_HEADERS";
  static final String REDIS_URL = "REFERENCE_REDIS_URL";
  static final String DATABASE_URL = "REFERENCE_DATABASE_URL";

  private SyncReferenceServer() {}

  public static void main(String[] args) throws SQLException {
    LogSilencer.libraries();
    HttpRouting.Builder routing = HttpRouting.builder();
    switch (args[0]) {
      case "bare" -> bare(routing);
      case "naive" -> naive(routing);
      case String other -> throw new IllegalArgumentException("no reference " + other);
    }
    ReferenceServer.start(routing);
  }

  /** No work at all: the ceiling that HTTP sets. */
  private static void bare(HttpRouting.Builder routing) {
    List<Header> headers = headers();
    byte[] body = setting(BODY).getBytes(StandardCharsets.UTF_8);
    routing.get(PATH, (request, response) -> answer(response, headers, body));
  }

  /** One awaited GET for a poll, an upsert and a SET for an update; no authentication. */
  private static void naive(HttpRouting.Builder routing) throws SQLException {
    List<Header> headers = headers();
    RedisCommands<String, String> redis = RedisClient.create(setting(REDIS_URL)).connect().sync();
    NaiveUpdates updates = new NaiveUpdates(redis, setting(DATABASE_URL));
    routing
        .get(
            PATH,
            (request, response) -> {
              String id = request.query().get("meeting_id");
              String record = Objects.requireNonNull(redis.get(NaiveUpdates.PREFIX + id));
              answer(response, headers, record.getBytes(StandardCharsets.UTF_8));
            })
        .post(
            PATH,
            (request, response) ->
                answer(response, headers, updates.apply(request.content().as(byte[].class))));
  }

  private static void answer(ServerResponse response, List<Header> headers, byte[] body) {
    headers.forEach(response::header);
    response.send(body);
  }

  /** The headers of Convoke's response. */
  private static List<Header> headers() {
    return setting(HEADERS)
        .lines()
        .map(line -> line.split(": ", 2))
        .map(pair -> HeaderValues.createCached(pair[0], pair[1]))
        .toList();
  }

  private static String setting(String name) {
    return Objects.requireNonNull(System.getenv(name), name);
  }
}
