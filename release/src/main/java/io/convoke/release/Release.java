package io.convoke.release;

import java.time.Instant;
import java.util.Locale;

/**
 * Which release is made.
 *
 * @param version of the project
 * @param time that all files have: that of the commit
 * @param system for which the Java runtime is, as {@code uname -s} says in lower case
 * @param machine for which it is, as {@code uname -m} says
 */
record Release(String version, Instant time, String system, String machine) {
  /** A release for the machine that makes it. */
  static Release here(String version, Instant time) {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).replaceFirst(" .*", "");
    String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : "aarch64";
    return new Release(version, time, system, machine);
  }

  String debianArchitecture() {
    return machine.equals("x86_64") ? "amd64" : "arm64";
  }

  /** The name of a product's archive without its ending, and of the folder in it. */
  String archive(Product product) {
    return "%s-%s-%s-%s".formatted(product.artifact(), version, system, machine);
  }
}
