package io.convoke.bench.signals;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs many interleavings concurrently on one Redis database: the next call of each goes out in one
 * packet with the next calls of all others, so that a million interleavings take minutes. Each
 * keeps its own order; they share no key.
 */
final class InterleavingRunner implements AutoCloseable {
  /** Marks the maps of rooms as complete. */
  static final String GENERATION = "convoke:presence:generation";

  private final PipelinedConnection pipelinedConnection;

  /** A protocol's interleaving for a seed; the id is the meeting's. */
  interface InterleavingFactory {
    SignalInterleaving begin(long seed, String id);
  }

  InterleavingRunner(URI redis, int database) throws IOException {
    this.pipelinedConnection = new PipelinedConnection(redis);
    Object _ = pipelinedConnection.call(RedisCall.of("SELECT", Integer.toString(database)));
    for (var luaScript :
        Stream.concat(
                SignalInterleaving.scripts().stream(), ConvokeInterleaving.protocol().stream())
            .toList()) {
      Object _ = pipelinedConnection.call(RedisCall.of("SCRIPT", "LOAD", luaScript.source()));
    }
  }

  /** Runs the interleavings of the seeds from {@code first} on to their ends. */
  List<SignalInterleaving> play(InterleavingFactory interleavingFactory, long first, int number)
      throws IOException {
    Object _ = pipelinedConnection.call(RedisCall.of("FLUSHDB"));
    Object _ = pipelinedConnection.call(RedisCall.of("SET", GENERATION, "1"));
    List<SignalInterleaving> all = new ArrayList<>(number);
    for (int i = 0; i < number; i++) {
      all.add(interleavingFactory.begin(first + i, Integer.toString(i + 1)));
    }
    List<SignalInterleaving> running = all;
    while (!running.isEmpty()) {
      running = round(running);
    }
    return all;
  }

  /** One call of each; answers those that are not over. */
  private List<SignalInterleaving> round(List<SignalInterleaving> running) throws IOException {
    List<SignalInterleaving> sent = new ArrayList<>(running.size());
    for (SignalInterleaving one : running) {
      Optional<RedisCall> call = one.next();
      if (call.isPresent()) {
        sent.add(one);
        pipelinedConnection.add(call.get());
      }
    }
    pipelinedConnection.send();
    for (SignalInterleaving one : sent) {
      one.answered(pipelinedConnection.answer());
    }
    return sent;
  }

  @Override
  public void close() throws IOException {
    pipelinedConnection.close();
  }
}
