package io.convoke.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The started components of a server, which are stopped last first. */
final class StartedParts implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StartedParts.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  <T extends AutoCloseable> T keep(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception | Error e) {
        log.warn("Stopping {} failed", part.getClass().getSimpleName(), e);
      }
    }
  }
}
