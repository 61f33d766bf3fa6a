package io.convoke.server.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The shutdown state of the server, and the open streams that a shutdown ends. */
final class ShutdownState {
  private final Set<SocketEventStream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  boolean stopping() {
    return stopping;
  }

  /** Counts a stream in; one that comes while stopping is ended at once. */
  void add(SocketEventStream stream) {
    streams.add(stream);
    if (stopping) {
      stream.end();
    }
  }

  void remove(SocketEventStream stream) {
    streams.remove(stream);
  }

  /** How many streams are open. */
  int streams() {
    return streams.size();
  }

  /** From here on connections are closed after their answer, and streams end. */
  void begin() {
    stopping = true;
    streams.forEach(SocketEventStream::end);
  }
}
