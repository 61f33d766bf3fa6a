package io.convoke.agent.http;

import java.net.http.HttpClient;
import java.time.Duration;

/**
 * Creates the HTTP clients of bots, pods and the server. They speak HTTP/1.1, because the JDK's
 * default offers an upgrade to HTTP/2 with plain requests, and follow no redirect, which could
 * carry a token to another host.
 */
public final class HttpClientFactory {
  private HttpClientFactory() {}

  public static HttpClient create(Duration connectTimeout) {
    return builder(connectTimeout).build();
  }

  /** For a client that differs in one point. */
  public static HttpClient.Builder builder(Duration connectTimeout) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(connectTimeout)
        .followRedirects(HttpClient.Redirect.NEVER);
  }
}
