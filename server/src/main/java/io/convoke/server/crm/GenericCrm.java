package io.convoke.server.crm;

import io.convoke.engine.json.Json;
import io.convoke.server.crm.CrmHttpClient.CrmReply;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;

/**
 * Any HTTP target: the note as JSON by POST to one address, with {@code Idempotency-Key}, and with
 * a secret also {@code X-Convoke-Timestamp} (seconds) and {@code X-Convoke-Signature: v1=} the hex
 * of HMAC-SHA256 over {@code timestamp.body}. The body's {@code external_id} stays the same when a
 * changed note is sent again.
 */
final class GenericCrm implements CrmConnector {
  private static final String ALGORITHM = "HmacSHA256";

  private final URI url;
  private final Optional<String> secret;
  private final InstantSource time;
  private final CrmHttpClient http = new CrmHttpClient(RateLimiter.unlimited());

  GenericCrm(URI url, Optional<String> secret, InstantSource time) {
    this.url = url;
    this.secret = secret;
    this.time = time;
  }

  @Override
  public String kind() {
    return "generic";
  }

  /** The generic format needs no properties. */
  @Override
  public Optional<String> lacks() {
    return Optional.empty();
  }

  @Override
  public CrmTransformResult transform(MeetingNote note) {
    return new CrmTransformResult.CrmBodyReady(Json.tree(note));
  }

  @Override
  public CrmPushResult push(JsonNode body, Optional<MeetingNote> note, String idempotencyKey)
      throws IOException, InterruptedException {
    byte[] bytes = Json.bytes(body);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Idempotency-Key", idempotencyKey);
    secret.ifPresent(
        key -> {
          String timestamp = Long.toString(time.instant().getEpochSecond());
          headers.put("X-Convoke-Timestamp", timestamp);
          headers.put("X-Convoke-Signature", "v1=" + signature(key, timestamp, bytes));
        });
    return switch (http.post(url, bytes, headers)) {
      case CrmReply.CrmAnswer answer ->
          answer.errors().isEmpty()
              ? new CrmPushResult.CrmPushAccepted(answer.body().path("id").asString(""), "")
              : new CrmPushResult.CrmPushRefused(
                  "the CRM answered " + answer.status() + " " + answer.errors());
      case CrmReply.CrmRefusal refusal -> {
        if (refusal.keyRefused()) {
          throw new IOException(refusal.why());
        }
        yield new CrmPushResult.CrmPushRefused(refusal.why());
      }
    };
  }

  @Override
  public void close() {
    http.close();
  }

  private static String signature(String key, String timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, impossible);
    }
  }
}
