package io.convoke.server.http.connection;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The shutdown state of the server, and the open streams that a shutdown ends. */
public final class ShutdownState {
  private final Set<SocketEventStream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

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
    streams.remove(stream);
  }

  /** How many streams are open. */
  public int streams() {
    return streams.size();
  }

  /** From here on connections are closed after their answer, and streams end. */
  public void begin() {
    stopping = true;
    streams.forEach(SocketEventStream::end);
  }
}
