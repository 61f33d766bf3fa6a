package io.convoke.bench.signals;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plays many interleavings side by side on one Redis database: the next call of each goes out in
 * one packet with the next calls of all others, so that a million stories take minutes. Each keeps
 * its own order; they share no key.
 */
final class Lane implements AutoCloseable {
  /** Says that the maps of rooms are whole. */
  static final String GENERATION = "convoke:presence:generation";

  private final Pipe pipe;

  /** A protocol's interleaving for a seed; the id is the meeting's. */
  interface Beginning {
    Interleaving begin(long seed, String id);
  }

  Lane(URI redis, int database) throws IOException {
    this.pipe = new Pipe(redis);
    Object _ = pipe.ask(Call.of("SELECT", Integer.toString(database)));
    for (var script :
        Stream.concat(Interleaving.scripts().stream(), OurInterleaving.protocol().stream())
            .toList()) {
      Object _ = pipe.ask(Call.of("SCRIPT", "LOAD", script.source()));
    }
  }

  /** Plays the stories of the seeds from {@code first} on, to their ends. */
  List<Interleaving> play(Beginning beginning, long first, int number) throws IOException {
    Object _ = pipe.ask(Call.of("FLUSHDB"));
    Object _ = pipe.ask(Call.of("SET", GENERATION, "1"));
    List<Interleaving> all = new ArrayList<>(number);
    for (int i = 0; i < number; i++) {
      all.add(beginning.begin(first + i, Integer.toString(i + 1)));
    }
    List<Interleaving> running = all;
    while (!running.isEmpty()) {
      running = round(running);
    }
    return all;
  }

  /** One call of each; answers those that are not over. */
  private List<Interleaving> round(List<Interleaving> running) throws IOException {
    List<Interleaving> sent = new ArrayList<>(running.size());
    for (Interleaving one : running) {
      Optional<Call> call = one.next();
      if (call.isPresent()) {
        sent.add(one);
        pipe.add(call.get());
      }
    }
    pipe.send();
    for (Interleaving one : sent) {
      one.answered(pipe.answer());
    }
    return sent;
  }

  @Override
  public void close() throws IOException {
    pipe.close();
  }
}
