package io.convoke.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The machine in one line, because a rate without it means nothing. */
public record MachineDescription(String line) {
  private static final long GIB = 1L << 30;

  /** This machine and JDK; a benchmark with stores adds their versions. */
  public static MachineDescription ofThis() {
    List<String> parts = new ArrayList<>();
    parts.add(processor());
    parts.add(Runtime.getRuntime().availableProcessors() + " cores");
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      parts.add(Math.round((double) system.getTotalMemorySize() / GIB) + " GiB");
    }
    parts.add(System.getProperty("os.name") + " " + System.getProperty("os.version"));
    parts.add("JDK " + Runtime.version());
    return new MachineDescription(String.join(", ", parts));
  }

  public MachineDescription with(String part) {
    return new MachineDescription(line + ", " + part);
  }

  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(text -> text.startsWith("model name"))
          .map(text -> text.substring(text.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException notLinux) {
      return System.getProperty("os.arch");
    }
  }
}
