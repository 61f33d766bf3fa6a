package io.convoke.server.crm;

import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * HubSpot: a meeting engagement, made or replaced by {@code POST
 * /crm/v3/objects/meetings/batch/upsert} under a property of our own, {@code convoke_recording_id},
 * which must exist there as a unique text. The key of the request is that property, so no header is
 * needed.
 */
final class HubSpotCrm implements Crm {
  static final String ID_PROPERTY = "convoke_recording_id";

  /** HubSpot's own bound of a long text. */
  private static final int BODY_MAX = 65_536;

  private final URI url;
  private final Optional<String> token;
  private final CrmHttp http = new CrmHttp();

  /** {@code base} is HubSpot's API, as in {@code https://api.hubapi.com}. */
  HubSpotCrm(URI base, Optional<String> token) {
    String root = base.toString();
    this.url =
        URI.create(
            (root.endsWith("/") ? root.substring(0, root.length() - 1) : root)
                + "/crm/v3/objects/meetings/batch/upsert");
    this.token = token;
  }

  @Override
  public String kind() {
    return "hubspot";
  }

  @Override
  public Transformed transform(MeetingNote note) {
    Optional<Instant> start = note.startedAt();
    if (start.isEmpty()) {
      return new Transformed.Unfit("HubSpot wants to know when a meeting began, and nobody does");
    }
    Instant end = note.endedAt().orElse(start.get());
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(ID_PROPERTY, note.recordingId());
    properties.put("hs_timestamp", Long.toString(start.get().toEpochMilli()));
    properties.put("hs_meeting_title", "Meeting in " + note.room());
    properties.put("hs_meeting_body", cut(note.words()));
    properties.put("hs_meeting_start_time", Long.toString(start.get().toEpochMilli()));
    properties.put("hs_meeting_end_time", Long.toString(end.toEpochMilli()));
    properties.put("hs_meeting_outcome", "COMPLETED");
    return new Transformed.Ready(
        Json.tree(
            Map.of(
                "inputs",
                List.of(
                    Map.of(
                        "id",
                        note.recordingId(),
                        "idProperty",
                        ID_PROPERTY,
                        "properties",
                        properties)))));
  }

  @Override
  public Pushed push(JsonNode body, String idempotencyKey)
      throws IOException, InterruptedException {
    Map<String, String> headers = new LinkedHashMap<>();
    token.ifPresent(secret -> headers.put("Authorization", "Bearer " + secret));
    return http.post(
        url,
        Json.bytes(body),
        headers,
        answer -> answer.path("results").path(0).path("id").asString(""));
  }

  @Override
  public void close() {
    http.close();
  }

  private static String cut(String words) {
    String end = "\n[shortened]";
    return words.length() <= BODY_MAX ? words : words.substring(0, BODY_MAX - end.length()) + end;
  }
}
