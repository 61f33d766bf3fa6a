package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.process.InstalledPrograms;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pictures in a real server that speaks S3: Adobe's S3Mock, from its executable jar. */
@Timeout(120)
class S3SnapshotStoreTest {
  @Test
  void aPictureLiesUnderItsPrefixAndNoneIsOverwritten(@TempDir Path folder) throws Exception {
    URI url = URI.create("http://127.0.0.1:" + InstalledPrograms.freePort());
    Process server = start(url, folder.resolve("s3.log"));
    try (HttpClient http = HttpClient.newHttpClient()) {
      awaitBucket(server, http, url.resolve("/pictures"));
      S3SnapshotStore pictures = new S3SnapshotStore(place(url));
      pictures.keep("snapshots/t/t-1-000001.png", new byte[] {1, 2, 3});
      assertThatThrownBy(() -> pictures.keep("snapshots/t/t-1-000001.png", new byte[] {4}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("already");
      HttpResponse<byte[]> stored =
          http.send(
              HttpRequest.newBuilder(url.resolve("/pictures/of/all/snapshots/t/t-1-000001.png"))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(stored.body()).containsExactly(1, 2, 3);
      assertThat(stored.headers().firstValue("Content-Type")).contains("image/png");
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void aStoreOutOfReachIsAFailure() {
    S3SnapshotStore pictures = new S3SnapshotStore(place(URI.create("http://127.0.0.1:9")));
    assertThatThrownBy(() -> pictures.keep("a.png", new byte[1])).isInstanceOf(IOException.class);
  }

  private static S3SnapshotStore.S3Location place(URI url) {
    return new S3SnapshotStore.S3Location(
        "pictures",
        "of/all",
        Optional.of(url),
        Optional.empty(),
        Optional.of(new S3SnapshotStore.S3Credentials("key", "secret")));
  }

  private static Process start(URI url, Path log) throws IOException {
    String jar =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.contains("s3mock") && entry.endsWith("-exec.jar"))
            .findFirst()
            .orElseThrow();
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-jar",
            jar,
            "--server.port=0",
            "--com.adobe.testing.s3mock.http-port=" + url.getPort())
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  /** Makes the bucket as soon as the server takes calls. */
  private static void awaitBucket(Process server, HttpClient http, URI bucket)
      throws IOException, InterruptedException {
    HttpRequest make =
        HttpRequest.newBuilder(bucket).PUT(HttpRequest.BodyPublishers.noBody()).build();
    while (true) {
      try {
        assertThat(http.send(make, HttpResponse.BodyHandlers.discarding()).statusCode())
            .isEqualTo(200);
        return;
      } catch (ConnectException notYet) {
        assertThat(server.waitFor(50, TimeUnit.MILLISECONDS)).as("S3Mock has ended").isFalse();
      }
    }
  }
}
