package io.convoke.server.recordings;

import io.convoke.agent.blobs.PartialBlob;
import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.StallTimeoutStream;
import io.convoke.agent.http.WholeAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One request for the rest of a file, and its result. */
final class DownloadRequest implements AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
  private static final Duration HEAD_MAX = Duration.ofSeconds(30);

  private static final Pattern RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

  private final Duration silenceMax;
  private final HttpClient client =
      HttpClientFactory.builder(CONNECT_MAX).followRedirects(HttpClient.Redirect.NORMAL).build();

  /** {@code silenceMax} is how long a file may send nothing. */
  DownloadRequest(Duration silenceMax) {
    this.silenceMax = silenceMax;
  }

  /** The result of one request. */
  sealed interface DownloadResult {
    /** The file is complete; {@code total} as the server reported it. */
    record DownloadComplete(OptionalLong total) implements DownloadResult {}

    /** Some bytes arrived before the connection broke. */
    record DownloadInterrupted(String why) implements DownloadResult {}

    /** The link has expired. */
    record DownloadLinkExpired(int status) implements DownloadResult {}

    /** The file has changed since its first part was stored. */
    record DownloadFileChanged() implements DownloadResult {}
  }

  /**
   * Requests the missing bytes and appends them.
   *
   * @param onProgress called with the size now and then
   * @throws IOException when the server is unreachable, or the store refuses the bytes
   */
  DownloadResult rest(URI url, PartialBlob partial, long most, LongConsumer onProgress)
      throws IOException, InterruptedException {
    long from = partial.size();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url).header("Accept-Encoding", "identity").GET();
    if (from > 0) {
      request.header("Range", "bytes=" + from + "-");
    }
    HttpResponse<InputStream> response = WholeAnswer.begun(client, request.build(), HEAD_MAX);
    try (InputStream body = response.body()) {
      return switch (response.statusCode()) {
        case 200 -> {
          if (from > 0) {
            partial.discard();
          }
          yield take(body, partial, length(response), most, onProgress);
        }
        case 206 -> {
          Optional<long[]> range = range(response);
          yield range.isPresent() && range.get()[0] == from
              ? take(body, partial, OptionalLong.of(range.get()[2]), most, onProgress)
              : new DownloadResult.DownloadFileChanged();
        }
        case 416 -> {
          OptionalLong total = total(response);
          yield total.isPresent() && total.getAsLong() == from
              ? new DownloadResult.DownloadComplete(total)
              : new DownloadResult.DownloadFileChanged();
        }
        case 400, 401, 403, 404, 410 ->
            new DownloadResult.DownloadLinkExpired(response.statusCode());
        default -> throw new IOException("the file's server answered " + response.statusCode());
      };
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  private DownloadResult take(
      InputStream body, PartialBlob partial, OptionalLong total, long most, LongConsumer onProgress)
      throws IOException {
    try (StallTimeoutStream watched = new StallTimeoutStream(body, silenceMax)) {
      ProgressStream.append(watched, partial, most, onProgress);
    } catch (StallTimeoutStream.StreamInterrupted streamInterrupted) {
      return new DownloadResult.DownloadInterrupted(String.valueOf(streamInterrupted.getMessage()));
    }
    return total.isPresent() && partial.size() != total.getAsLong()
        ? new DownloadResult.DownloadInterrupted(
            partial.size() + " of " + total.getAsLong() + " bytes came")
        : new DownloadResult.DownloadComplete(total);
  }

  private static OptionalLong length(HttpResponse<?> response) {
    return response.headers().firstValueAsLong("Content-Length");
  }

  private static Optional<long[]> range(HttpResponse<?> response) {
    return response
        .headers()
        .firstValue("Content-Range")
        .map(RANGE::matcher)
        .filter(Matcher::matches)
        .map(
            found ->
                new long[] {
                  Long.parseLong(found.group(1)),
                  Long.parseLong(found.group(2)),
                  Long.parseLong(found.group(3))
                });
  }

  private static OptionalLong total(HttpResponse<?> response) {
    String text = response.headers().firstValue("Content-Range").orElse("");
    return text.matches("bytes \\*/\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(text.substring("bytes */".length())))
        : OptionalLong.empty();
  }
}
