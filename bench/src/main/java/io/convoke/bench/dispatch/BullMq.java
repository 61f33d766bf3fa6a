package io.convoke.bench.dispatch;

import io.convoke.bench.Progress;
import io.convoke.bench.child.NodePrograms;
import io.convoke.bench.child.Watched;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** BullMQ's programs: {@code bullmq.mjs} as a producer or as workers, each a process of its own. */
record BullMq(NodePrograms programs) {
  static final String NAME = "bullmq";

  private static final List<String> FILES = List.of("package.json", "bullmq.mjs");

  /** Empty, and said so, where it cannot run. */
  static Optional<BullMq> find(Progress progress) throws InterruptedException {
    try {
      return Optional.of(new BullMq(NodePrograms.install(BullMq.class, FILES, "BullMQ", progress)));
    } catch (IOException e) {
      return skipped(progress, String.valueOf(e.getMessage()));
    }
  }

  static Optional<BullMq> skipped(Progress progress, String why) {
    progress.say("SKIPPED  BullMQ: " + why);
    return Optional.empty();
  }

  Watched producer(String url) throws Exception {
    return start(url, "producer");
  }

  /** So many workers of one process, each with so many jobs at once. */
  Watched workers(String url, int count, int concurrency) throws Exception {
    return start(url, "worker", Integer.toString(count), Integer.toString(concurrency));
  }

  private Watched start(String url, String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of("bullmq.mjs"));
    boolean _ = command.addAll(List.of(arguments));
    return new Watched(programs.start(Map.of("REDIS_URL", url), "bullmq-" + arguments[0], command));
  }
}
