package io.convoke.server.dispatch;

import io.convoke.engine.crypto.SecretBox;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Generates ids for tasks submitted without one. */
final class TaskIdGenerator {
  private static final int BYTES = 12;
  private static final SecureRandom RANDOM = new SecureRandom();

  private TaskIdGenerator() {}

  static String fresh() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * The id of the task that replaces another: deterministic, so that it is created once, and keyed,
   * so that other callers cannot predict it. One for each key of the box, since the task may have
   * been created before a key rotation; the first is for a new one.
   */
  static List<String> instead(SecretBox secrets, String id) {
    return secrets.deriveAll("task requeue", id).stream()
        .map(derived -> HexFormat.of().formatHex(Arrays.copyOf(derived, BYTES)))
        .toList();
  }
}
