package io.convoke.bench.sync;

import io.convoke.bench.load.HttpRequestBytes;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** What pages and jobs send, as whole requests. */
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
            .map(id -> poll(id, server).getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);
    byte[][] all = new byte[number][];
    for (int i = 0; i < number; i++) {
      all[i] = each[i % each.length];
    }
    return new HttpRequestBytes(all);
  }

  /** Updates by jobs, of meetings drawn anew for each; every one of them counts. */
  HttpRequestBytes updates(int number, URI server, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[][] all = new byte[number][];
    for (int i = 0; i < number; i++) {
      long meeting = meetings.get(random.nextInt(meetings.size()));
      String status = STATUSES[random.nextInt(STATUSES.length)];
      all[i] = update(meeting, status, server).getBytes(StandardCharsets.US_ASCII);
    }
    return new HttpRequestBytes(all);
  }

  /** An update's body. */
  static String body(long meeting, String status) {
    return "{\"meeting_id\":\"%d\",\"status\":\"%s\",\"step\":\"JobB\"}".formatted(meeting, status);
  }

  private String poll(long meeting, URI server) {
    return """
    GET %s?meeting_id=%d HTTP/1.1\r
    Host: %s\r
    X-API-Key: %s\r
    \r
    """
        .formatted(SyncReferenceServer.PATH, meeting, server.getAuthority(), apiKey);
  }

  private String update(long meeting, String status, URI server) {
    String body = body(meeting, status);
    return """
    POST %s HTTP/1.1\r
    Host: %s\r
    Authorization: Bearer %s\r
    Content-Type: application/json\r
    Content-Length: %d\r
    \r
    %s\
    """
        .formatted(
            SyncReferenceServer.PATH, server.getAuthority(), internalToken, body.length(), body);
  }
}
