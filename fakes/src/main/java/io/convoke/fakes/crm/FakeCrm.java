package io.convoke.fakes.crm;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeApiServer;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import io.convoke.fakes.orchestrator.RequestFaults;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;

/**
 * Two CRMs on one port. {@code POST /notes} is the generic target: signed JSON with an idempotency
 * key, kept by its {@code external_id}. {@code POST /crm/v3/objects/meetings/batch/upsert} is
 * HubSpot's: bearer token, known properties alone, kept by the property that the input names.
 * {@code GET /crm/v3/properties/meetings/...} lists the properties; the one that identifies notes
 * can be deleted and created again. Both count how often a note was made and how often it was
 * replaced.
 */
public final class FakeCrm implements AutoCloseable {
  /** The property that an account must have before meetings can be looked up by it. */
  public static final String ID_PROPERTY = "convoke_recording_id";

  private static final List<String> PROPERTIES =
      List.of(
          ID_PROPERTY,
          "hs_timestamp",
          "hs_meeting_title",
          "hs_meeting_body",
          "hs_meeting_start_time",
          "hs_meeting_end_time",
          "hs_meeting_outcome");
  private static final String PROPERTIES_PATH = "/crm/v3/properties/meetings/";
  private static final int BODY_MAX = 65_536;

  private final FakeApiServer fakeApiServer;
  private final String secret;
  private final Map<String, CrmNote> notes = new LinkedHashMap<>();
  private final Map<String, String> keys = new LinkedHashMap<>();
  private final List<GenericCrmPost> posts = new ArrayList<>();
  private volatile boolean hasIdProperty = true;
  private volatile Duration thinks = Duration.ZERO;

  /** A note; {@code versions} counts its different contents, the first included. */
  public record CrmNote(String id, JsonNode body, int versions) {}

  /** An accepted generic note, repeated or new. */
  public record GenericCrmPost(String externalId, String key, String body) {}

  /** Opens both; the secret signs generic notes and is HubSpot's token. */
  public FakeCrm(String secret) {
    this.secret = secret;
    this.fakeApiServer =
        new FakeApiServer(
            this::serve,
            fakeApiError ->
                Map.of(
                    "status",
                    "error",
                    "message",
                    fakeApiError.message(),
                    "category",
                    "VALIDATION"));
  }

  /** URL of the generic target. */
  public URI notesUrl() {
    return fakeApiServer.url().resolve("/notes");
  }

  /** URL of HubSpot's API. */
  public URI hubSpotUrl() {
    return fakeApiServer.url();
  }

  public RequestFaults faults() {
    return fakeApiServer.faults();
  }

  /** Deletes the property that identifies meetings, or creates it again. */
  public void idProperty(boolean there) {
    hasIdProperty = there;
  }

  /** Delays the response to each note. */
  public void think(Duration span) {
    thinks = span;
  }

  /** Violations of the APIs by clients. */
  public List<String> complaints() {
    return fakeApiServer.complaints();
  }

  /** Every accepted generic note, in order. */
  public synchronized List<GenericCrmPost> posts() {
    return List.copyOf(posts);
  }

  /** The stored notes by external id. */
  public synchronized Map<String, CrmNote> notes() {
    return Map.copyOf(notes);
  }

  @Override
  public void close() {
    fakeApiServer.close();
  }

  private FakeReply serve(FakeRequest fakeRequest) throws InterruptedException {
    String path = "/" + String.join("/", fakeRequest.path());
    if (path.startsWith(PROPERTIES_PATH)) {
      return property(fakeRequest, path.substring(PROPERTIES_PATH.length()));
    }
    if (!fakeRequest.method().equals("POST")) {
      throw new FakeApiError(405, "only POST");
    }
    boolean _ = new CountDownLatch(1).await(thinks.toMillis(), TimeUnit.MILLISECONDS);
    return switch (path) {
      case "/notes" -> generic(fakeRequest);
      case "/crm/v3/objects/meetings/batch/upsert" -> hubSpot(fakeRequest);
      default -> throw new FakeApiError(404, "no route " + path);
    };
  }

  private FakeReply generic(FakeRequest fakeRequest) {
    String timestamp = header(fakeRequest, "x-convoke-timestamp");
    if (!header(fakeRequest, "x-convoke-signature")
        .equals("v1=" + sign(timestamp + "." + fakeRequest.text()))) {
      throw new FakeApiError(401, "the signature does not fit");
    }
    String key = header(fakeRequest, "idempotency-key");
    if (key.isEmpty() || key.length() > 255) {
      throw new FakeApiError(400, "an idempotency key of 1 to 255 characters is needed");
    }
    JsonNode body = fakeRequest.object();
    String externalId = FakeRequest.text(body, "external_id");
    if (!body.path("meeting_id").isIntegralNumber() || !body.path("lines").isArray()) {
      throw new FakeApiError(422, "meeting_id and lines are needed");
    }
    return FakeReply.JsonReply.of(
        Map.of("id", keep(externalId, key, fakeRequest.text(), body).id()));
  }

  private FakeReply property(FakeRequest fakeRequest, String name) {
    known(fakeRequest);
    if (!fakeRequest.method().equals("GET")) {
      throw new FakeApiError(405, "only GET");
    }
    if (!PROPERTIES.contains(name) || (name.equals(ID_PROPERTY) && !hasIdProperty)) {
      throw new FakeApiError(404, "Property " + name + " does not exist");
    }
    return FakeReply.JsonReply.of(
        Map.of(
            "name",
            name,
            "type",
            "string",
            "fieldType",
            "text",
            "archived",
            false,
            "hasUniqueValue",
            name.equals(ID_PROPERTY)));
  }

  private void known(FakeRequest fakeRequest) {
    if (!header(fakeRequest, "authorization").equals("Bearer " + secret)) {
      throw new FakeApiError(401, "Authentication credentials not found");
    }
  }

  private FakeReply hubSpot(FakeRequest fakeRequest) {
    known(fakeRequest);
    JsonNode body = fakeRequest.object();
    FakeRequest.only(body, "the request", "inputs");
    JsonNode inputs = body.path("inputs");
    if (!inputs.isArray() || inputs.isEmpty() || inputs.size() > 100) {
      throw new FakeApiError(400, "inputs must hold 1 to 100 objects");
    }
    JsonNode input = inputs.path(0);
    FakeRequest.only(input, "an input", "id", "idProperty", "properties", "objectWriteTraceId");
    if (!FakeRequest.text(input, "idProperty").equals(ID_PROPERTY)) {
      throw new FakeApiError(400, "the id property is not a unique property of meetings");
    }
    if (!hasIdProperty) {
      throw FakeApiError.blameless(400, "", "Property \"" + ID_PROPERTY + "\" does not exist");
    }
    JsonNode properties = input.path("properties");
    for (String name : properties.propertyNames()) {
      if (!PROPERTIES.contains(name)) {
        throw new FakeApiError(400, "Property \"" + name + "\" does not exist");
      }
      if (!properties.path(name).isString()) {
        throw new FakeApiError(400, "Property \"" + name + "\" must be a text");
      }
    }
    if (!FakeRequest.text(properties, "hs_timestamp").matches("\\d{13}")) {
      throw new FakeApiError(400, "hs_timestamp must be milliseconds");
    }
    if (properties.path("hs_meeting_body").asString("").length() > BODY_MAX) {
      throw new FakeApiError(400, "hs_meeting_body is too long");
    }
    CrmNote crmNote = keep(FakeRequest.text(input, "id"), "", properties.toString(), properties);
    return FakeReply.JsonReply.of(
        Map.of(
            "status",
            "COMPLETE",
            "results",
            List.of(
                Map.of(
                    "id",
                    crmNote.id(),
                    "properties",
                    properties,
                    "new",
                    crmNote.versions() == 1))));
  }

  private synchronized CrmNote keep(String externalId, String key, String text, JsonNode body) {
    if (!key.isEmpty()) {
      String before = keys.putIfAbsent(key, text);
      if (before != null && !before.equals(text)) {
        throw new FakeApiError(422, "the same idempotency key with another body");
      }
      posts.add(new GenericCrmPost(externalId, key, text));
    }
    Optional<CrmNote> known = Optional.ofNullable(notes.get(externalId));
    if (known.isPresent() && known.get().body().equals(body)) {
      return known.get();
    }
    CrmNote crmNote =
        new CrmNote(
            known.map(CrmNote::id).orElse(Integer.toString(9000 + notes.size())),
            body,
            known.map(CrmNote::versions).orElse(0) + 1);
    notes.put(externalId, crmNote);
    return crmNote;
  }

  private static String header(FakeRequest fakeRequest, String name) {
    return fakeRequest.header().getOrDefault(name, "");
  }

  private String sign(String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every JDK has HmacSHA256", impossible);
    }
  }
}
