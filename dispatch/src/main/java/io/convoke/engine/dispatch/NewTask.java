package io.convoke.engine.dispatch;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.json.Json;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task to submit. Its content is immutable; only its state changes.
 *
 * @param requestId idempotency key, scoped to the owner
 * @param region region to run in; empty for any
 * @param payload for the pod only; secrets must be sealed before
 * @param unique whether the channel may have no other open task of the same owner that is unique
 * @param userId the owner; empty is the operator
 */
public record NewTask(
    String id,
    String requestId,
    String type,
    String action,
    String channel,
    Optional<String> region,
    ObjectNode payload,
    boolean unique,
    Optional<Long> userId) {
  /**
   * Most bytes of a payload, as JSON in UTF-8: Redis and the database store each task, and one
   * claim reply carries the payloads of all slots.
   */
  public static final int PAYLOAD_BYTES_MAX = 64 * 1024;

  private static final char NUL = 0;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Pattern REQUEST = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
  private static final Pattern CHANNEL = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");

  /**
   * Checks what becomes part of a key, and rejects U+0000, which Postgres cannot store and which
   * would fail the whole insert batch.
   *
   * @throws IllegalArgumentException if a name is invalid or the payload contains U+0000
   * @throws PayloadTooLarge if the payload is larger than {@link #PAYLOAD_BYTES_MAX}
   */
  public NewTask {
    require(ID, "id", id);
    require(REQUEST, "request_id", requestId);
    require(ID, "type", type);
    require(CHANNEL, "channel", channel);
    region.ifPresent(NewTask::requireRegion);
    if (action.indexOf(NUL) >= 0 || hasNul(payload)) {
      throw new IllegalArgumentException("a task must not contain U+0000");
    }
    int bytes = payloadBytes(payload);
    if (bytes > PAYLOAD_BYTES_MAX) {
      throw new PayloadTooLarge(bytes);
    }
  }

  /**
   * The size of a payload as JSON in UTF-8. A sealed access token counts with its plain size, so
   * that sealing does not change the limit.
   */
  public static int payloadBytes(JsonNode payload) {
    return Json.bytes(payload).length - AccessTokenSealer.bytesAddedBySealing(payload);
  }

  /** Whether a name is a valid task type. */
  public static boolean isType(String name) {
    return ID.matcher(name).matches();
  }

  /** Whether a name is a valid region; {@link KeySpace#GLOBAL} is reserved. */
  public static boolean isRegion(String name) {
    return ID.matcher(name).matches() && !name.equals(KeySpace.GLOBAL);
  }

  private static boolean hasNul(JsonNode node) {
    if (node.isString()) {
      return node.asString().indexOf(NUL) >= 0;
    }
    return node.propertyStream()
            .anyMatch(field -> field.getKey().indexOf(NUL) >= 0 || hasNul(field.getValue()))
        || (node.isArray() && node.valueStream().anyMatch(NewTask::hasNul));
  }

  static void requireRegion(String name) {
    if (!isRegion(name)) {
      throw new IllegalArgumentException("invalid region: " + name);
    }
  }

  /** The request id scoped to its owner, as part of a key. */
  String ownRequest() {
    return owned(userId, requestId);
  }

  /** The channel scoped to its owner, as part of a key. */
  String ownChannel() {
    return owned(userId, channel);
  }

  /** A name scoped to its owner; names contain no {@code /}. */
  static String owned(Optional<Long> userId, String name) {
    return userId.map(id -> id + "/" + name).orElse(name);
  }

  /** The immutable part as stored in Redis and the database. */
  ObjectNode spec() {
    ObjectNode spec = Json.mapper().createObjectNode();
    spec.put("id", id)
        .put("type", type)
        .put("action", action)
        .put("channel", channel)
        .put("request_id", requestId);
    region.ifPresent(name -> spec.put("region", name));
    userId.ifPresent(id -> spec.put("user_id", id));
    if (unique) {
      spec.put("unique", "channel");
    }
    spec.set("payload", (JsonNode) payload);
    return spec;
  }

  private static void require(Pattern form, String name, String value) {
    if (!form.matcher(value).matches()) {
      throw new IllegalArgumentException(name + " must match " + form);
    }
  }
}
