package io.convoke.server.crm;

import io.convoke.engine.json.Json;
import io.convoke.server.crm.CrmHttpClient.CrmReply;
import io.convoke.server.crm.HubSpotTimelines.TimelinesResult;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * HubSpot: a meeting engagement, made or replaced by {@code POST
 * /crm/v3/objects/meetings/batch/upsert} under the custom property {@code convoke_recording_id},
 * which must exist there as a unique text. The key of the request is that property, so no header is
 * needed. Its existence is checked before the note is converted ({@code GET
 * /crm/v3/properties/meetings/convoke_recording_id}), so that the error names a missing property.
 * After the upsert the meeting is associated with its attendees ({@link HubSpotTimelines}).
 *
 * <p>An upsert is a batch: HubSpot answers an input that it does not store with 207, or with 200,
 * and {@code errors}.
 */
final class HubSpotCrm implements CrmConnector {
  static final String ID_PROPERTY = "convoke_recording_id";

  private static final String OWNER = "hubspot_owner_id";

  /** HubSpot's own bound of a long text. */
  private static final int BODY_MAX = 65_536;

  private final URI url;
  private final URI property;
  private final String root;
  private final Optional<String> token;
  private final Optional<String> owner;
  private final CrmHttpClient http;
  private final Runnable unauthorized;
  private final HubSpotTimelines timelines;

  /**
   * A client of one account.
   *
   * @param base HubSpot's API, as in {@code https://api.hubapi.com}
   * @param owner of all meetings, an id or an e-mail address; empty: the meeting's user, if HubSpot
   *     has an owner with that address
   */
  HubSpotCrm(URI base, Optional<String> token, Optional<String> owner, RateLimiter limiter) {
    this(
        base.toString().replaceFirst("/$", ""), token, owner, new CrmHttpClient(limiter), () -> {});
  }

  private HubSpotCrm(
      String root,
      Optional<String> token,
      Optional<String> owner,
      CrmHttpClient http,
      Runnable unauthorized) {
    this.root = root;
    this.url = URI.create(root + "/crm/v3/objects/meetings/batch/upsert");
    this.property = URI.create(root + "/crm/v3/properties/meetings/" + ID_PROPERTY);
    this.token = token;
    this.owner = owner;
    this.http = http;
    this.unauthorized = unauthorized;
    this.timelines = new HubSpotTimelines(root, http, headers(), unauthorized);
  }

  /**
   * The same for another account, in which each meeting's owner is its user: the configured one is
   * of this account.
   *
   * @param refused is told when the account refuses its token
   */
  HubSpotCrm as(String itsToken, CrmHttpClient itsHttp, Runnable refused) {
    return new HubSpotCrm(root, Optional.of(itsToken), Optional.empty(), itsHttp, refused);
  }

  CrmHttpClient http() {
    return http;
  }

  @Override
  public String kind() {
    return "hubspot";
  }

  @Override
  public Optional<String> lacks() throws IOException, InterruptedException {
    return switch (http.get(property, headers())) {
      case CrmReply.CrmAnswer(int _, JsonNode found) ->
          found.path("hasUniqueValue").asBoolean(true) && !found.path("archived").asBoolean(false)
              ? Optional.empty()
              : Optional.of(
                  "HubSpot's property "
                      + ID_PROPERTY
                      + " is archived or not unique; create it again as a unique text");
      case CrmReply.CrmRefusal refusal -> {
        if (refusal.status() == 401) {
          unauthorized.run();
        }
        yield refusal.status() == 404
            ? Optional.of(
                "HubSpot's meetings have no property "
                    + ID_PROPERTY
                    + "; create it as a unique text")
            : Optional.empty();
      }
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
    String key = note.recordingId().orElseGet(() -> note.externalId().replace(':', '-'));
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(ID_PROPERTY, key);
    properties.put("hs_timestamp", Long.toString(start.get().toEpochMilli()));
    properties.put("hs_meeting_title", "Meeting in " + note.room());
    properties.put("hs_meeting_body", HubSpotHtml.of(note.summary(), note.lines(), BODY_MAX));
    properties.put("hs_meeting_start_time", Long.toString(start.get().toEpochMilli()));
    properties.put("hs_meeting_end_time", Long.toString(end.toEpochMilli()));
    properties.put("hs_meeting_outcome", "COMPLETED");
    return new CrmTransformResult.CrmBodyReady(
        Json.tree(
            Map.of(
                "inputs",
                List.of(Map.of("id", key, "idProperty", ID_PROPERTY, "properties", properties)))));
  }

  @Override
  public CrmPushResult push(JsonNode body, Optional<MeetingNote> note, String idempotencyKey)
      throws IOException, InterruptedException {
    OwnerLookup found = owner(note.flatMap(MeetingNote::ownerEmail));
    if (found instanceof OwnerLookup.OwnerMissing(String address)) {
      return new CrmPushResult.CrmPushRefused(
          "HubSpot has no owner " + address + "; set CONVOKE_CRM_OWNER to one of its users");
    }
    JsonNode sent = found instanceof OwnerLookup.OwnerFound(String id) ? owned(body, id) : body;
    return switch (http.post(url, Json.bytes(sent), headers())) {
      case CrmReply.CrmAnswer answer -> stored(answer, note);
      case CrmReply.CrmRefusal refusal -> {
        if (refusal.status() == 401) {
          unauthorized.run();
        }
        if (refusal.keyRefused()) {
          throw new IOException(refusal.why());
        }
        yield new CrmPushResult.CrmPushRefused(refusal.why());
      }
    };
  }

  private CrmPushResult stored(CrmReply.CrmAnswer answer, Optional<MeetingNote> note)
      throws IOException, InterruptedException {
    String said = "the CRM answered " + answer.status() + " ";
    String errors = answer.errors();
    if (!errors.isEmpty()) {
      for (JsonNode error : answer.body().path("errors")) {
        if (error.path("category").asString("").equals("RATE_LIMITS")) {
          throw new IOException(said + errors);
        }
      }
      return new CrmPushResult.CrmPushRefused(said + errors);
    }
    String id = answer.body().path("results").path(0).path("id").asString("");
    if (answer.status() == 207 || id.isBlank()) {
      return new CrmPushResult.CrmPushRefused(said + "without the id of a meeting");
    }
    List<String> addresses = note.map(MeetingNote::addresses).orElse(List.of());
    return switch (timelines.associate(id, addresses)) {
      case TimelinesResult.MeetingAssociated(String detail) ->
          new CrmPushResult.CrmPushAccepted(id, detail);
      case TimelinesResult.AssociationRefused(String why) ->
          new CrmPushResult.CrmPushRefused("stored as " + id + ", but not associated: " + why);
    };
  }

  /** The owner of a meeting. */
  private sealed interface OwnerLookup {
    record OwnerFound(String id) implements OwnerLookup {}

    /** The one that is configured does not exist. */
    record OwnerMissing(String address) implements OwnerLookup {}

    record NoOwner() implements OwnerLookup {}
  }

  private OwnerLookup owner(Optional<String> user) throws IOException, InterruptedException {
    if (owner.isPresent() && owner.get().matches("\\d+")) {
      return new OwnerLookup.OwnerFound(owner.get());
    }
    Optional<String> address = owner.or(() -> user);
    if (address.isEmpty()) {
      return new OwnerLookup.NoOwner();
    }
    String query = URLEncoder.encode(address.get(), StandardCharsets.UTF_8);
    CrmReply reply =
        http.get(URI.create(root + "/crm/v3/owners?limit=1&email=" + query), headers());
    String id =
        switch (reply) {
          case CrmReply.CrmAnswer(int _, JsonNode answer) ->
              answer.path("results").path(0).path("id").asString("");
          case CrmReply.CrmRefusal(int status, String why) -> {
            if (status == 401) {
              unauthorized.run();
            }
            if (status == 401 || owner.isPresent()) {
              throw new IOException("the owner could not be looked up: " + why);
            }
            yield "";
          }
        };
    if (!id.isEmpty()) {
      return new OwnerLookup.OwnerFound(id);
    }
    return owner.isPresent()
        ? new OwnerLookup.OwnerMissing(owner.get())
        : new OwnerLookup.NoOwner();
  }

  private static JsonNode owned(JsonNode body, String owner) {
    JsonNode copy = body.deepCopy();
    for (JsonNode input : copy.path("inputs")) {
      if (input.path("properties") instanceof ObjectNode properties) {
        var _ = properties.put(OWNER, owner);
      }
    }
    return copy;
  }

  @Override
  public void close() {
    http.close();
  }

  private Map<String, String> headers() {
    return token.map(secret -> Map.of("Authorization", "Bearer " + secret)).orElse(Map.of());
  }
}
