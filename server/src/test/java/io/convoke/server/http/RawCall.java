package io.convoke.server.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** A plain GET, for what the document does not describe. */
public final class RawCall {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private RawCall() {}

  public static HttpResponse<String> get(String url, String header, String value) {
    try {
      return HTTP.send(
          HttpRequest.newBuilder(URI.create(url)).header(header, value).build(),
          HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
