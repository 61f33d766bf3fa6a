package io.convoke.bench.durable;

import io.convoke.bench.process.NodeScripts;
import io.convoke.bench.process.WatchedProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A queue library of Node, driven by lines to its process; {@code peer.mjs} selects it. */
final class NodeQueueCandidate implements QueueCandidate {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(90);

  private final NodeQueueKind nodeQueueKind;
  private final WatchedProcess process;

  private NodeQueueCandidate(NodeQueueKind nodeQueueKind, WatchedProcess process) {
    this.nodeQueueKind = nodeQueueKind;
    this.process = process;
  }

  /**
   * One of the queues, installed.
   *
   * @param shown its name
   */
  record NodeQueueKind(String shown, String script, NodeScripts programs) {
    NodeQueueCandidate open(String url) throws Exception {
      return new NodeQueueCandidate(this, new WatchedProcess(start(url)));
    }

    /** A process whose workers print each item's nanoseconds. */
    WatchedProcess watch(String url, String workers) throws Exception {
      WatchedProcess process = new WatchedProcess(start(url));
      process.send("watch " + workers);
      String answer = process.next(ANSWER_MAX);
      if (!answer.equals("ready")) {
        throw new IOException(shown + " said " + answer);
      }
      return process;
    }

    private Process start(String url) throws IOException {
      return programs.start(Map.of("DATABASE_URL", url), shown, List.of("peer.mjs", script));
    }
  }

  @Override
  public String name() {
    return nodeQueueKind.shown();
  }

  @Override
  public QueuedItems enqueue(int callers, Duration span) throws Exception {
    long begun = System.nanoTime();
    return QueuedItems.since(
        begun, Long.parseLong(ask("enqueue " + callers + " " + span.toMillis())));
  }

  void putNow() throws Exception {
    String _ = ask("put");
  }

  @Override
  public QueueTurn work(Duration atMost) throws Exception {
    String[] answer = ask("work " + atMost.toMillis()).split(" ", -1);
    return new QueueTurn(
        Long.parseLong(answer[0]),
        Long.parseLong(answer[1]),
        Duration.ofNanos(Long.parseLong(answer[2])));
  }

  @Override
  public long queued() throws Exception {
    return Long.parseLong(ask("queued"));
  }

  @Override
  public void clear() throws Exception {
    String _ = ask("clear");
  }

  private String ask(String line) throws Exception {
    process.send(line);
    return process.next(ANSWER_MAX);
  }

  @Override
  public void close() {
    process.close();
  }
}
