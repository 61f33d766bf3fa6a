package io.convoke.engine.crypto;

import io.convoke.engine.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Encrypts every {@code access_token} in a task's payload, at any depth (dispatch-1): the API seals
 * it on acceptance, the pod that runs the task opens it, and it is never stored or sent in clear
 * text.
 *
 * <p>A sealed token is {@code sealed:} and the token's JSON in a {@link SecretBox}, so its JSON
 * type survives. It is there once for each key that a pod may have, with a dot between: the key for
 * pods, which derives from the secret key and opens nothing else, and the secret key itself, which
 * pods of earlier releases have; while keys rotate, those of the old key too.
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

  /** Each seals once for each of its keys. */
  private final List<SecretBox> boxes;

  private AccessTokenSealer(List<SecretBox> boxes) {
    this.boxes = boxes;
  }

  /** For holders of {@code CONVOKE_SECRET_KEY}: servers, and pods that have no key of their own. */
  public AccessTokenSealer(SecretBox box) {
    this(List.of(forPods(box), box));
  }

  /** For a pod that holds the key for pods alone. */
  public static AccessTokenSealer ofPodKey(SecretBox podKey) {
    return new AccessTokenSealer(List.of(podKey));
  }

  /** The key for pods of each secret key: it opens what this class seals, and nothing else. */
  public static SecretBox forPods(SecretBox secrets) {
    return secrets.derived("pods");
  }

  /** A copy with sealed tokens; all else stays as it is. */
  public ObjectNode seal(ObjectNode payload) {
    ObjectNode copy = payload.deepCopy();
    replace(
        copy,
        token ->
            Json.tree(
                MARK
                    + boxes.stream()
                        .flatMap(box -> box.sealForEach(PURPOSE, token.toString()).stream())
                        .collect(Collectors.joining(BETWEEN))));
    return copy;
  }

  /** Whether every token is sealed with exactly the keys that {@link #seal} would use. */
  public boolean sealsLike(ObjectNode payload) {
    List<byte[]> own = boxes.stream().flatMap(box -> box.heads().stream()).toList();
    boolean[] like = {true};
    replace(
        payload,
        token -> {
          like[0] &= isSealed(token) && SecretBox.begin(seals(token), own);
          return token;
        });
    return like[0];
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
          if (isSealed(token)) {
            String[] seals = seals(token);
            added[0] += token.toString().length() - SecretBox.plainBytes(seals[0]);
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
    return isSealed(token) ? Json.read(opened(seals(token))) : token;
  }

  /** Opens the first of several seals whose key is configured. */
  private String opened(String[] seals) {
    Optional<SecretBox.UnsealFailure> failure = Optional.empty();
    for (String seal : seals) {
      for (SecretBox box : boxes) {
        try {
          return box.open(PURPOSE, seal);
        } catch (SecretBox.UnsealFailure e) {
          failure = Optional.of(e);
        }
      }
    }
    throw failure.orElseThrow();
  }

  private static boolean isSealed(JsonNode token) {
    return token.isString() && token.asString().startsWith(MARK);
  }

  private static String[] seals(JsonNode sealed) {
    return sealed.asString().substring(MARK.length()).split(Pattern.quote(BETWEEN), -1);
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
