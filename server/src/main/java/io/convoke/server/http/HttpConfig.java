package io.convoke.server.http;

import java.time.Duration;

/**
 * The bounds of the listener.
 *
 * @param host the address to listen on
 * @param port the port; 0 takes a free one
 * @param maxBody the largest JSON body in bytes; larger is 413
 * @param bodyTimeout how long a request body may take to arrive; longer is 408
 * @param streamCheck how often the credentials of a stream's reader are checked again
 * @param drain how long a stop waits for requests in flight
 * @param rate the request rate per caller
 * @param stalls the bounds for clients that do not read
 * @param proxies trusted to report their clients' addresses
 */
public record HttpConfig(
    String host,
    int port,
    int maxBody,
    Duration bodyTimeout,
    Duration streamCheck,
    Duration drain,
    RateLimitConfig rate,
    SlowClientConfig stalls,
    TrustedProxies proxies) {

  /**
   * The bounds for clients that do not read their responses.
   *
   * @param atMost how long a client may take no byte of an answer before its connection is closed
   * @param after how long it has taken none when it counts as stalled
   * @param perAddress stalled connections of one address at most; the longest stalled are closed
   */
  public record SlowClientConfig(Duration atMost, Duration after, int perAddress) {
    /** Closed after 30 s, stalled after 5 s, 32 of an address. */
    public static final SlowClientConfig DEFAULT =
        new SlowClientConfig(Duration.ofSeconds(30), Duration.ofSeconds(5), 32);
  }

  /** A token bucket per caller: refilled at {@code perSecond}, holding at most {@code burst}. */
  public record RateLimitConfig(double perSecond, int burst) {
    /** 50 requests a second, 200 at once. */
    public static final RateLimitConfig DEFAULT = new RateLimitConfig(50, 200);
  }

  /** The default bounds on the given address. */
  public static HttpConfig at(String host, int port) {
    return new HttpConfig(
        host,
        port,
        1 << 20,
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        RateLimitConfig.DEFAULT,
        SlowClientConfig.DEFAULT,
        TrustedProxies.NONE);
  }

  /** The same bounds with another rate. */
  public HttpConfig with(RateLimitConfig other) {
    return new HttpConfig(
        host, port, maxBody, bodyTimeout, streamCheck, drain, other, stalls, proxies);
  }

  /** The same bounds with another body timeout and another interval of checks of streams. */
  public HttpConfig with(Duration body, Duration stream) {
    return new HttpConfig(host, port, maxBody, body, stream, drain, rate, stalls, proxies);
  }

  /** The same bounds with other ones for clients that do not read. */
  public HttpConfig with(SlowClientConfig other) {
    return new HttpConfig(
        host, port, maxBody, bodyTimeout, streamCheck, drain, rate, other, proxies);
  }

  /** The same bounds behind these proxies. */
  public HttpConfig with(TrustedProxies other) {
    return new HttpConfig(
        host, port, maxBody, bodyTimeout, streamCheck, drain, rate, stalls, other);
  }
}
