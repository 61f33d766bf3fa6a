package io.convoke.simulator.stores;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A program that is a Redis: Redis itself, or Valkey where it can be had. */
public enum RedisFlavor {
  REDIS,
  VALKEY;

  /** Those that can be run here. What cannot is said aloud: its tests are skipped. */
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

  /** Looked for once: an installation takes its time. */
  private static final class RedisPrograms {
    static final Optional<Path> VALKEY = StoreBinaries.valkey();
  }
}
