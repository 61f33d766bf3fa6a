package io.convoke.bench.webhooks;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A fair first version of a webhook handler: verifies, finds the room, and awaits one SET on the
 * shared connection. It has no evidence, no sequence and no queue.
 */
final class NaiveWebhookHandler {
  private static final HeaderName SIGNATURE = HeaderNames.create("X-Webhook-Signature");
  private static final HeaderName TIMESTAMP = HeaderNames.create("X-Webhook-Timestamp");
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private final RedisCommands<String, String> redis;
  private final SecretKeySpec key;

  NaiveWebhookHandler(RedisCommands<String, String> redis, String secret) {
    this.redis = redis;
    this.key = new SecretKeySpec(Base64.getDecoder().decode(secret), "HmacSHA256");
  }

  void handle(ServerRequest request, ServerResponse response) throws GeneralSecurityException {
    byte[] body = request.content().as(byte[].class);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(key);
    mac.update((request.headers().get(TIMESTAMP).get() + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = Base64.getEncoder().encode(mac.doFinal(body));
    byte[] given = request.headers().get(SIGNATURE).get().getBytes(StandardCharsets.US_ASCII);
    if (!MessageDigest.isEqual(expected, given)) {
      response.status(Status.UNAUTHORIZED_401).send();
      return;
    }
    JsonNode event = MAPPER.readTree(body);
    String room = event.path("payload").path("room").asString();
    String _ = redis.set("naive:" + room, "1");
    response.send();
  }
}
