package io.convoke.agent.blobs;

import io.convoke.simulator.process.InstalledPrograms;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Adobe's S3Mock as a process of its own, from its executable jar on the class path: what it brings
 * along meets nothing of ours.
 */
final class S3Server implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofSeconds(60);

  private final Process process;
  private final URI url;

  private S3Server(Process process, URI url) {
    this.process = process;
    this.url = url;
  }

  /** Starts one with an empty bucket. */
  static S3Server start(String bucket) throws IOException, InterruptedException {
    int port = InstalledPrograms.freePort();
    Path log = Files.createTempFile("s3mock", ".log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                jar(),
                "--server.port=0",
                "--com.adobe.testing.s3mock.http-port=" + port)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    S3Server server = new S3Server(process, URI.create("http://127.0.0.1:" + port));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    try {
      server.awaitBucket(bucket, log);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  URI url() {
    return url;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void awaitBucket(String bucket, Path log) throws IOException, InterruptedException {
    HttpRequest create =
        HttpRequest.newBuilder(url.resolve("/" + bucket))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    long deadline = System.nanoTime() + START_MAX.toNanos();
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (true) {
        try {
          int status = client.send(create, HttpResponse.BodyHandlers.discarding()).statusCode();
          if (status == 200) {
            return;
          }
          throw new IOException("the bucket was not made: " + status);
        } catch (java.net.ConnectException notYet) {
          boolean gone = process.waitFor(50, TimeUnit.MILLISECONDS);
          if (gone || System.nanoTime() - deadline > 0) {
            throw new IOException("S3Mock did not start:\n" + InstalledPrograms.lastLines(log));
          }
        }
      }
    }
  }

  private static String jar() {
    List<String> path =
        Arrays.asList(System.getProperty("java.class.path").split(java.io.File.pathSeparator));
    return path.stream()
        .filter(entry -> entry.contains("s3mock") && entry.endsWith("-exec.jar"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("s3mock's exec jar is not on the class path"));
  }
}
