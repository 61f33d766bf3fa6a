package io.convoke.server.crm;

import io.convoke.engine.json.Json;
import io.convoke.server.crm.CrmHttpClient.CrmLookupResult;
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
 * /crm/v3/objects/meetings/batch/upsert} under the custom property {@code convoke_recording_id},
 * which must exist there as a unique text. The key of the request is that property, so no header is
 * needed. Its existence is checked before the note is converted ({@code GET
 * /crm/v3/properties/meetings/convoke_recording_id}), so that the error names a missing property.
 */
final class HubSpotCrm implements CrmConnector {
  static final String ID_PROPERTY = "convoke_recording_id";

  /** HubSpot's own bound of a long text. */
  private static final int BODY_MAX = 65_536;

  private final URI url;
  private final URI property;
  private final Optional<String> token;
  private final CrmHttpClient http = new CrmHttpClient();

  /** {@code base} is HubSpot's API, as in {@code https://api.hubapi.com}. */
  HubSpotCrm(URI base, Optional<String> token) {
    String root = base.toString();
    String v3 = (root.endsWith("/") ? root.substring(0, root.length() - 1) : root) + "/crm/v3";
    this.url = URI.create(v3 + "/objects/meetings/batch/upsert");
    this.property = URI.create(v3 + "/properties/meetings/" + ID_PROPERTY);
    this.token = token;
  }

  @Override
  public String kind() {
    return "hubspot";
  }

  @Override
  public Optional<String> lacks() throws IOException, InterruptedException {
    return switch (http.get(property, headers())) {
      case CrmLookupResult.CrmObjectMissing _ ->
          Optional.of(
              "HubSpot's meetings have no property "
                  + ID_PROPERTY
                  + "; create it as a unique text");
      case CrmLookupResult.CrmObjectFound(JsonNode found) ->
          found.path("hasUniqueValue").asBoolean(true) && !found.path("archived").asBoolean(false)
              ? Optional.empty()
              : Optional.of(
                  "HubSpot's property "
                      + ID_PROPERTY
                      + " is archived or not unique; create it again as a unique text");
      case CrmLookupResult.CrmLookupRefused _ -> Optional.empty();
    };
  }

  @Override
  public CrmTransformResult transform(MeetingNote note) {
    Optional<Instant> start = note.startedAt();
    if (start.isEmpty()) {
      return new CrmTransformResult.CrmBodyImpossible(
          "HubSpot requires a start time, and the meeting has none");
    }
    Instant end = note.endedAt().orElse(start.get());
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(ID_PROPERTY, note.recordingId());
    properties.put("hs_timestamp", Long.toString(start.get().toEpochMilli()));
    properties.put("hs_meeting_title", "Meeting in " + note.room());
    properties.put("hs_meeting_body", cut(note.transcriptText()));
    properties.put("hs_meeting_start_time", Long.toString(start.get().toEpochMilli()));
    properties.put("hs_meeting_end_time", Long.toString(end.toEpochMilli()));
    properties.put("hs_meeting_outcome", "COMPLETED");
    return new CrmTransformResult.CrmBodyReady(
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
  public CrmPushResult push(JsonNode body, String idempotencyKey)
      throws IOException, InterruptedException {
    return http.post(
        url,
        Json.bytes(body),
        headers(),
        answer -> answer.path("results").path(0).path("id").asString(""));
  }

  @Override
  public void close() {
    http.close();
  }

  private Map<String, String> headers() {
    return token.map(secret -> Map.of("Authorization", "Bearer " + secret)).orElse(Map.of());
  }

  private static String cut(String value) {
    String end = "\n[shortened]";
    return value.length() <= BODY_MAX ? value : value.substring(0, BODY_MAX - end.length()) + end;
  }
}
