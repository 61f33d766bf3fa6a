package io.convoke.bench.sync;

import io.convoke.bench.load.HttpRequestBytes;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Requests of pages and jobs. */
final class SyncRequests {
  private static final String[] STATUSES = {"in_progress", "success", "failure"};

  private final List<Long> meetings;
  private final String apiKey;
  private final String internalToken;

  SyncRequests(List<Long> meetings, String apiKey, String internalToken) {
    this.meetings = meetings;
    this.apiKey = apiKey;
    this.internalToken = internalToken;
  }

  /** Polls of a user, one meeting after the other. */
  HttpRequestBytes polls(int number, URI server) {
    byte[][] each =
        meetings.stream()
            .map(
                id ->
                    HttpRequestBytes.get(
                        server,
                        SyncReferenceServer.PATH + "?meeting_id=" + id,
                        "X-API-Key: " + apiKey))
            .toArray(byte[][]::new);
    byte[][] all = new byte[number][];
    for (int i = 0; i < number; i++) {
      all[i] = each[i % each.length];
    }
    return new HttpRequestBytes(all);
  }

  /** Updates by jobs, each of a meeting drawn at random. */
  HttpRequestBytes updates(int number, URI server, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[][] all = new byte[number][];
    for (int i = 0; i < number; i++) {
      long meeting = meetings.get(random.nextInt(meetings.size()));
      String status = STATUSES[random.nextInt(STATUSES.length)];
      all[i] =
          HttpRequestBytes.post(
              server,
              SyncReferenceServer.PATH,
              body(meeting, status).getBytes(StandardCharsets.US_ASCII),
              "Authorization: Bearer " + internalToken);
    }
    return new HttpRequestBytes(all);
  }

  /** An update's body. */
  static String body(long meeting, String status) {
    return "{\"meeting_id\":\"%d\",\"status\":\"%s\",\"step\":\"JobB\"}".formatted(meeting, status);
  }
}
