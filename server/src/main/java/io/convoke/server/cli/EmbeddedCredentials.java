package io.convoke.server.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The secrets of an embedded server: generated once, stored in its data folder with owner-only
 * permissions, and overridden by the configuration. Without them a restart would orphan every bot.
 */
final class EmbeddedCredentials {
  private static final SecureRandom RANDOM = new SecureRandom();

  private EmbeddedCredentials() {}

  /** The secrets by variable name. */
  static Map<String, String> of(Path data) {
    Path file = data.resolve("credentials");
    try {
      Files.createDirectories(data);
      if (!Files.exists(file)) {
        Path made =
            Files.createTempFile(
                data,
                "credentials",
                ".tmp",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(
            made,
            """
            # Made by convoke for this data folder. Keep it secret, keep it with the data.
            CONVOKE_SECRET_KEY=%s
            CONVOKE_ADMIN_TOKEN=admin_%s
            CONVOKE_INTERNAL_TOKEN=internal_%s
            """
                .formatted(Base64.getEncoder().encodeToString(random(32)), token(), token()));
        Files.move(made, file);
      }
      Properties properties = new Properties();
      try (var reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
      Map<String, String> secrets = new LinkedHashMap<>();
      properties.forEach((name, value) -> secrets.put(name.toString(), value.toString()));
      return secrets;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep credentials in " + data, e);
    }
  }

  private static String token() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random(24));
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }
}
