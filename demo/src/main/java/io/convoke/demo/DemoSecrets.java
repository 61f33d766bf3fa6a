package io.convoke.demo;

import java.security.SecureRandom;
import java.util.Base64;

/** Secrets of the demo, new at each start unless stored data depends on them. */
record DemoSecrets(
    String secretKey,
    String admin,
    String internal,
    String dailyApi,
    String dailyWebhook,
    String crm) {
  private static final SecureRandom RANDOM = new SecureRandom();

  /** {@code secretKey} is stored with the data, because it encrypts them. */
  static DemoSecrets with(String secretKey) {
    return new DemoSecrets(
        secretKey,
        "admin_" + word(),
        "internal_" + word(),
        "daily_" + word(),
        bytes(32),
        "crm_" + word());
  }

  static String bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String word() {
    byte[] bytes = new byte[24];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
