package io.convoke.engine.dispatch;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.json.Json;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task that somebody asks for. What it says is fixed for good; only its state changes.
 *
 * @param requestId whoever repeats a request of the same owner gets its first answer
 * @param region the region that it should run in; empty is anywhere
 * @param payload for the pod alone; secrets in it are to be sealed before they come here
 * @param unique whether its channel may have no other open task of the owner that says the same
 * @param userId whose it is; empty is the operator's
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
   * Bytes of a payload at most, as JSON in UTF-8: each task lies in Redis and in the ledger, and a
   * claim carries those of all slots in one answer.
   */
  public static final int PAYLOAD_BYTES_MAX = 64 * 1024;

  private static final char NUL = 0;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Pattern REQUEST = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
  private static final Pattern CHANNEL = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");

  /**
   * Checks what becomes part of a key, and what no ledger could write: Postgres has no U+0000, and
   * many callers share its transaction.
   *
   * @throws IllegalArgumentException if a name is none, or the payload holds that character
   * @throws PayloadTooLarge if the payload is larger than {@link #PAYLOAD_BYTES_MAX}
   */
  public NewTask {
    require(ID, "id", id);
    require(REQUEST, "request_id", requestId);
    require(ID, "type", type);
    require(CHANNEL, "channel", channel);
    region.ifPresent(NewTask::requireRegion);
    if (action.indexOf(NUL) >= 0 || hasNul(payload)) {
      throw new IllegalArgumentException("a task cannot hold the character U+0000");
    }
    int bytes = payloadBytes(payload);
    if (bytes > PAYLOAD_BYTES_MAX) {
      throw new PayloadTooLarge(bytes);
    }
  }

  /**
   * The size of a payload as JSON in UTF-8. A sealed access token counts as what was sealed, so the
   * bound is the same before and after sealing.
   */
  public static int payloadBytes(JsonNode payload) {
    return Json.bytes(payload).length - AccessTokenSealer.bytesAddedBySealing(payload);
  }

  /** Whether a name can be a region's; the global queue's is taken. */
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
      throw new IllegalArgumentException("not a region: " + name);
    }
  }

  /** The request as a key has it: two owners may use the same words. */
  String ownRequest() {
    return owned(userId, requestId);
  }

  /** The channel as a key has it. */
  String ownChannel() {
    return owned(userId, channel);
  }

  /** A name of an owner's; the stroke is in no name. */
  static String owned(Optional<Long> userId, String name) {
    return userId.map(id -> id + "/" + name).orElse(name);
  }

  /** The immutable part as it is kept, in Redis and in the ledger. */
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
      throw new IllegalArgumentException(name + " is not of the form " + form);
    }
  }
}
