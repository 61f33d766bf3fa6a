package io.convoke.server.http.connection;

import io.convoke.server.http.Caller;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The shutdown state of the server, and the open streams that a shutdown ends. */
public final class ShutdownState {
  private final Set<SocketEventStream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean announced;
  private volatile boolean stopping;

  /** Whether clients should go elsewhere: the server is not ready, and closes their connections. */
  public boolean announced() {
    return announced;
  }

  public boolean stopping() {
    return stopping;
  }

  /** Counts a stream in; one that comes while stopping is ended at once. */
  public void add(SocketEventStream stream) {
    streams.add(stream);
    if (stopping) {
      stream.end();
    }
  }

  public void remove(SocketEventStream stream) {
    stream.detach();
    streams.remove(stream);
  }

  /** Authenticates the readers of some streams again, and ends those of them that may not read. */
  public void recheck(Predicate<Caller> which) {
    for (SocketEventStream stream : streams) {
      if (which.test(stream.reader().caller()) && !stream.reader().welcome().getAsBoolean()) {
        stream.end();
      }
    }
  }

  /** How many streams a user reads. */
  public long streamsOf(long userId) {
    return streams.stream()
        .filter(
            stream ->
                stream.reader().caller() instanceof Caller.UserCaller user
                    && user.userId() == userId)
        .count();
  }

  /** How many streams are open. */
  public int streams() {
    return streams.size();
  }

  /** From here on connections are closed after their answer. */
  public void announce() {
    announced = true;
  }

  /** From here on streams end, too. */
  public void begin() {
    announced = true;
    stopping = true;
    streams.forEach(SocketEventStream::end);
  }
}
