package io.convoke.server.dispatch;

import io.convoke.engine.seal.SecretBox;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** Ids of tasks for whom nobody chose one. */
final class TaskIds {
  private static final int BYTES = 12;
  private static final SecureRandom RANDOM = new SecureRandom();

  private TaskIds() {}

  static String fresh() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * The id of what is made instead of a task: always the same one, so that it is made once, and
   * nobody else can know it beforehand and take it.
   */
  static String instead(SecretBox secrets, String id) {
    return HexFormat.of().formatHex(Arrays.copyOf(secrets.derive("task requeue", id), BYTES));
  }
}
