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
import java.time.Instant;
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
 * key, kept by its {@code external_id}; a key that it knows is answered as at first and changes
 * nothing. Everything under {@code /crm/} and {@code /oauth/} is {@link FakeHubSpot}, whose
 * property that identifies notes can be deleted and created again. Both count how often a note was
 * made and how often it was replaced.
 */
public final class FakeCrm implements AutoCloseable {
  /** The property that an account must have before meetings can be looked up by it. */
  public static final String ID_PROPERTY = FakeHubSpot.ID_PROPERTY;

  private final FakeApiServer fakeApiServer;
  private final String secret;
  private final FakeHubSpot fakeHubSpot;
  private final Map<String, CrmNote> notes = new LinkedHashMap<>();
  private final Map<String, String> keys = new LinkedHashMap<>();
  private final List<GenericCrmPost> posts = new ArrayList<>();
  private volatile Duration thinks = Duration.ZERO;

  /** A note; {@code versions} counts its different contents, the first included. */
  public record CrmNote(String id, JsonNode body, int versions) {}

  /** An accepted generic note, repeated or new. */
  public record GenericCrmPost(String externalId, String key, String body, Instant at) {}

  /** Opens both; the secret signs generic notes and is HubSpot's token. */
  public FakeCrm(String secret) {
    this.secret = secret;
    this.fakeHubSpot = new FakeHubSpot(secret);
    this.fakeApiServer =
        new FakeApiServer(
            this::serve,
            fakeApiError ->
                Map.of(
                    "status",
                    fakeApiError.reason().startsWith("BAD_") ? fakeApiError.reason() : "error",
                    "message",
                    fakeApiError.message(),
                    "category",
                    "VALIDATION_ERROR",
                    "correlationId",
                    "c033cdaa-2c40-4a64-ae48-b4cec88dad24"));
  }

  /** URL of the generic target. */
  public URI notesUrl() {
    return fakeApiServer.url().resolve("/notes");
  }

  /** URL of HubSpot's API. */
  public URI hubSpotUrl() {
    return fakeApiServer.url();
  }

  /** The account at HubSpot. */
  public FakeHubSpot hubSpot() {
    return fakeHubSpot;
  }

  public RequestFaults faults() {
    return fakeApiServer.faults();
  }

  /** Deletes the property that identifies meetings, or creates it again. */
  public void idProperty(boolean there) {
    fakeHubSpot.idProperty(there);
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
    Map<String, CrmNote> all = new LinkedHashMap<>(notes);
    all.putAll(fakeHubSpot.records().meetings());
    return Map.copyOf(all);
  }

  @Override
  public void close() {
    fakeApiServer.close();
  }

  private FakeReply serve(FakeRequest fakeRequest) throws InterruptedException {
    String path = "/" + String.join("/", fakeRequest.path());
    boolean upsert = path.equals("/crm/v3/objects/meetings/batch/upsert");
    if (upsert || path.equals("/notes")) {
      boolean _ = new CountDownLatch(1).await(thinks.toMillis(), TimeUnit.MILLISECONDS);
    }
    if (path.startsWith("/oauth/")) {
      return fakeHubSpot.oauth().serve(fakeRequest);
    }
    if (path.startsWith("/crm/")) {
      return fakeHubSpot.serve(fakeRequest);
    }
    if (!path.equals("/notes")) {
      throw new FakeApiError(404, "no route " + path);
    }
    if (!fakeRequest.method().equals("POST")) {
      throw new FakeApiError(405, "only POST");
    }
    return generic(fakeRequest);
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

  private synchronized CrmNote keep(String externalId, String key, String text, JsonNode body) {
    String before = keys.putIfAbsent(key, text);
    if (before != null && !before.equals(text)) {
      throw new FakeApiError(422, "the same idempotency key with another body");
    }
    posts.add(new GenericCrmPost(externalId, key, text, Instant.now()));
    Optional<CrmNote> known = Optional.ofNullable(notes.get(externalId));
    if (known.isPresent() && (before != null || known.get().body().equals(body))) {
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
