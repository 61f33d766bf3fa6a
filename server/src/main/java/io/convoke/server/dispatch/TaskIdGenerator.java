package io.convoke.server.dispatch;

import io.convoke.engine.crypto.SecretBox;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Ids of tasks for whom nobody chose one. */
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
   * The id of what is made instead of a task: always the same one, so that it is made once, and no
   * other caller can know it beforehand and take it. One for each key of the box, since it may have
   * been made before a rotation; the first is for a new one.
   */
  static List<String> instead(SecretBox secrets, String id) {
    return secrets.deriveAll("task requeue", id).stream()
        .map(derived -> HexFormat.of().formatHex(Arrays.copyOf(derived, BYTES)))
        .toList();
  }
}
