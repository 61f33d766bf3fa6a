package io.convoke.engine.crypto;

import io.convoke.engine.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Encrypts every {@code access_token} in a task's payload, at any depth (dispatch-1): the API seals
 * it on acceptance, the pod that runs the task opens it, and it is never stored or sent in clear
 * text.
 *
 * <p>A sealed token is {@code sealed:} and the token's JSON in a {@link SecretBox}, so its JSON
 * type survives. While keys rotate it is there once for each key, with a dot between: a pod that
 * was given only the old key runs the task, and so does one that was given only the new one.
 */
public final class AccessTokenSealer {
  private static final String NAME = "access_token";
  private static final String MARK = "sealed:";
  private static final String PURPOSE = "task";

  /** Base64url has none. */
  private static final String BETWEEN = ".";

  private static final String HIDDEN = "***";

  /** Redacting shorter values would mangle ordinary text. */
  private static final int SHORTEST = 4;

  private final SecretBox box;

  public AccessTokenSealer(SecretBox box) {
    this.box = box;
  }

  /** A copy with sealed tokens; all else stays as it is. */
  public ObjectNode seal(ObjectNode payload) {
    ObjectNode copy = payload.deepCopy();
    replace(
        copy,
        token ->
            Json.tree(MARK + String.join(BETWEEN, box.sealForEach(PURPOSE, token.toString()))));
    return copy;
  }

  /**
   * A copy with the tokens in clear; unsealed tokens are unchanged. A payload will do, or a whole
   * task.
   *
   * @throws SecretBox.UnsealFailure if one was sealed with a key that we lack, or is damaged
   */
  public ObjectNode open(ObjectNode payload) {
    ObjectNode copy = payload.deepCopy();
    replace(copy, this::opened);
    return copy;
  }

  /** By how many bytes a payload is longer as JSON than it was before its tokens were sealed. */
  public static int bytesAddedBySealing(JsonNode payload) {
    int[] added = {0};
    replace(
        payload,
        token -> {
          if (token.isString() && token.asString().startsWith(MARK)) {
            String sealed = token.asString().substring(MARK.length());
            added[0] += token.toString().length() - SecretBox.plainBytes(sealed);
          }
          return token;
        });
    return added[0];
  }

  /**
   * Text without the tokens of a payload that is open: what a program prints about its failure may
   * repeat what it was given.
   */
  public static String without(ObjectNode open, String text) {
    List<String> clear = new ArrayList<>();
    replace(
        open.deepCopy(),
        token -> {
          clear.add(token.isString() ? token.asString() : token.toString());
          return token;
        });
    String hidden = text;
    for (String token : clear) {
      if (token.length() >= SHORTEST) {
        hidden = hidden.replace(token, HIDDEN);
      }
    }
    return hidden;
  }

  private JsonNode opened(JsonNode token) {
    return token.isString() && token.asString().startsWith(MARK)
        ? Json.read(opened(token.asString().substring(MARK.length())))
        : token;
  }

  /** Opens the first of several seals whose key is configured. */
  private String opened(String seals) {
    int end = seals.indexOf(BETWEEN);
    if (end < 0) {
      return box.open(PURPOSE, seals);
    }
    try {
      return box.open(PURPOSE, seals.substring(0, end));
    } catch (SecretBox.UnsealFailure _) {
      return opened(seals.substring(end + 1));
    }
  }

  private static void replace(JsonNode node, UnaryOperator<JsonNode> change) {
    if (node instanceof ObjectNode object) {
      for (String name : object.propertyNames().toArray(String[]::new)) {
        if (name.equals(NAME)) {
          object.set(name, change.apply(object.get(name)));
        } else {
          replace(object.get(name), change);
        }
      }
    } else if (node instanceof ArrayNode array) {
      array.forEach(each -> replace(each, change));
    }
  }
}
