package io.convoke.bench.dispatch;

import io.convoke.bench.Progress;
import io.convoke.bench.process.NodeScripts;
import io.convoke.bench.process.WatchedProcess;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** BullMQ's programs: {@code bullmq.mjs} as a producer or as workers, each a process of its own. */
record BullMqScripts(NodeScripts programs) {
  static final String NAME = "bullmq";

  private static final List<String> FILES = List.of("package.json", "bullmq.mjs");

  /** Empty, with a message, where it cannot run. */
  static Optional<BullMqScripts> find(Progress progress) throws InterruptedException {
    try {
      return Optional.of(
          new BullMqScripts(NodeScripts.install(BullMqScripts.class, FILES, "BullMQ", progress)));
    } catch (IOException e) {
      return skipped(progress, String.valueOf(e.getMessage()));
    }
  }

  static Optional<BullMqScripts> skipped(Progress progress, String why) {
    progress.report("SKIPPED  BullMQ: " + why);
    return Optional.empty();
  }

  WatchedProcess producer(String url) throws Exception {
    return start(url, "producer");
  }

  /** So many workers of one process, each with so many jobs at once. */
  WatchedProcess workers(String url, int count, int concurrency) throws Exception {
    return start(url, "worker", Integer.toString(count), Integer.toString(concurrency));
  }

  private WatchedProcess start(String url, String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of("bullmq.mjs"));
    boolean _ = command.addAll(List.of(arguments));
    return new WatchedProcess(
        programs.start(Map.of("REDIS_URL", url), "bullmq-" + arguments[0], command));
  }
}
