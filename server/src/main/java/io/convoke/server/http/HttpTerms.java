package io.convoke.server.http;

import java.time.Duration;

/**
 * The bounds of the listener.
 *
 * @param host the address to listen on
 * @param port the port; 0 takes a free one
 * @param maxBody the largest JSON body in bytes; larger is 413
 * @param bodyTimeout how long a request body may take to arrive; longer is 408
 * @param slowClient how long a client of a stream may leave a write unread before it is cut, and
 *     how long one whose credentials were revoked may still read
 * @param drain how long a stop waits for what is in flight
 * @param rate how fast one caller may ask
 */
public record HttpTerms(
    String host,
    int port,
    int maxBody,
    Duration bodyTimeout,
    Duration slowClient,
    Duration drain,
    Rate rate) {

  /** A token bucket per caller: refilled at {@code perSecond}, holding at most {@code burst}. */
  public record Rate(double perSecond, int burst) {
    /** 50 requests a second, 200 at once. */
    public static final Rate DEFAULT = new Rate(50, 200);
  }

  /** The default bounds on the given address. */
  public static HttpTerms at(String host, int port) {
    return new HttpTerms(
        host,
        port,
        1 << 20,
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Rate.DEFAULT);
  }

  /** The same bounds with another rate. */
  public HttpTerms with(Rate other) {
    return new HttpTerms(host, port, maxBody, bodyTimeout, slowClient, drain, other);
  }

  /** The same bounds with other patience towards slow clients. */
  public HttpTerms with(Duration body, Duration stream) {
    return new HttpTerms(host, port, maxBody, body, stream, drain, rate);
  }
}
