package io.convoke.simulator.stores;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Redis-compatible program: Redis itself, or Valkey where it is installed or installable. */
public enum RedisFlavor {
  REDIS,
  VALKEY;

  /** Those that run here. The tests of a missing one are skipped with a message. */
  public static List<RedisFlavor> present() {
    List<RedisFlavor> present = new ArrayList<>(List.of(REDIS));
    if (RedisPrograms.VALKEY.isPresent()) {
      present.add(VALKEY);
    } else {
      System.err.println(
          "SKIPPED on Valkey: there is no valkey-server on the path, and none to install");
    }
    return present;
  }

  Path program() {
    return switch (this) {
      case REDIS -> StoreBinaries.redis();
      case VALKEY -> RedisPrograms.VALKEY.orElseThrow();
    };
  }

  /** Determined once, because an installation takes time. */
  private static final class RedisPrograms {
    static final Optional<Path> VALKEY = StoreBinaries.valkey();
  }
}
