package io.convoke.server.http.connection;

import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections that stall inside a request: after the request line without an end of the
 * header fields, or inside a body that the server discards.
 */
public final class HeaderReadTimeout implements Http1ConnectionListener {
  /**
   * A connection has one thread for all its life; what is left here by a broken one ends with it.
   */
  private static final ThreadLocal<SocketTimeouts.@Nullable WatchedWait> READING =
      new ThreadLocal<>();

  private final SocketTimeouts watch;
  private final Duration atMost;

  public HeaderReadTimeout(SocketTimeouts watch, Duration atMost) {
    this.watch = watch;
    this.atMost = atMost;
  }

  @Override
  public void prologue(ConnectionContext context, HttpPrologue prologue) {
    end();
    READING.set(watch.begin(atMost));
  }

  @Override
  public void headers(ConnectionContext context, Headers headers) {
    end();
  }

  /** The answer is out and the web server now reads the rest of a body to throw it away. */
  public void bodyLeftUnread() {
    READING.set(watch.begin(atMost));
  }

  private static void end() {
    SocketTimeouts.WatchedWait watchedWait = READING.get();
    if (watchedWait != null) {
      boolean _ = watchedWait.end();
      READING.remove();
    }
  }
}
