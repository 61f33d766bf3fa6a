package io.convoke.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.launch.kubernetes.KubernetesConfig;
import io.convoke.server.launch.kubernetes.KubernetesLauncher;
import io.convoke.server.launch.nomad.NomadConfig;
import io.convoke.server.launch.nomad.NomadLauncher;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A platform that sends the headers and a part of each answer, and then nothing. */
@Timeout(60)
class OrchestratorClientTest {
  private final ServerSocket platform;
  private final List<Socket> calls = new CopyOnWriteArrayList<>();

  OrchestratorClientTest() throws IOException {
    platform = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
  }

  @BeforeEach
  void open() {
    Thread _ = Thread.ofVirtual().name("half-answers").start(this::answerHalf);
  }

  @AfterEach
  void close() throws IOException {
    platform.close();
    for (Socket call : calls) {
      call.close();
    }
  }

  @Test
  void anAnswerThatStallsAfterItsHeadersIsNone() {
    Duration atMost = Duration.ofMillis(300);
    try (OrchestratorClient client =
        new OrchestratorClient("Nomad", url(), Map::of, Optional.empty())) {
      assertThatThrownBy(() -> client.call("GET", "/v1/jobs", atMost))
          .isInstanceOf(LauncherUnavailable.class)
          .hasMessageContaining("cannot be reached");
      assertThatThrownBy(() -> client.call("POST", "/v1/jobs", Map.of(), atMost))
          .isInstanceOf(LauncherUnavailable.class)
          .hasMessageContaining("cannot be reached");
    }
  }

  /** From JDK 26 on the timeout of a request would end it. It takes twice its time to begin. */
  @Tag("nightly")
  @Test
  void aStreamThatBeganIsReadFurtherThanTheTimeInWhichItHadToBegin() throws Exception {
    Duration untilOpen = Duration.ofSeconds(2);
    try (OrchestratorClient client =
            new OrchestratorClient("Kubernetes", url(), Map::of, Optional.empty());
        InputStream stream = client.stream("/api/v1/pods", untilOpen)) {
      assertThat(stream.readNBytes(10)).hasSize(10);
      CompletableFuture<Integer> next =
          CompletableFuture.supplyAsync(
              () -> read(stream), Executors.newVirtualThreadPerTaskExecutor());
      assertThatThrownBy(() -> next.get(2 * untilOpen.toMillis(), TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
    }
  }

  @Test
  void aStreamThatDoesNotBeginInTimeIsNone() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        OrchestratorClient client =
            new OrchestratorClient(
                "Kubernetes",
                URI.create("http://127.0.0.1:" + silent.getLocalPort()),
                Map::of,
                Optional.empty())) {
      assertThatThrownBy(() -> client.stream("/api/v1/pods", Duration.ofMillis(300)))
          .isInstanceOf(LauncherUnavailable.class)
          .hasMessageContaining("no answer within");
    }
  }

  private static int read(InputStream stream) {
    try {
      return stream.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It takes the ten seconds that the launchers give a query. */
  @Tag("nightly")
  @Test
  void aListingThatStallsEndsInTime() {
    BotImage image =
        new BotImage("bot:1", BotImage.ImagePullPolicy.MISSING, Optional.empty(), Optional.empty());
    KubernetesConfig cluster =
        new KubernetesConfig(url(), "bots", Optional::empty, Optional.empty(), "test", image);
    NomadConfig agent =
        new NomadConfig(
            url(),
            "bot",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            "test",
            Optional.empty());
    try (Launcher kubernetes = new KubernetesLauncher(cluster, InstantSource.system());
        Launcher nomad = new NomadLauncher(agent)) {
      List<CompletableFuture<List<Launcher.RunningBot>>> listings =
          List.of(listing(kubernetes), listing(nomad));
      assertThat(listings)
          .allSatisfy(
              listing ->
                  assertThat(listing)
                      .failsWithin(Duration.ofSeconds(11))
                      .withThrowableOfType(ExecutionException.class)
                      .withCauseInstanceOf(LauncherUnavailable.class));
    }
  }

  private static CompletableFuture<List<Launcher.RunningBot>> listing(Launcher launcher) {
    return CompletableFuture.supplyAsync(
        launcher::list, Executors.newVirtualThreadPerTaskExecutor());
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + platform.getLocalPort());
  }

  private void answerHalf() {
    try {
      while (!platform.isClosed()) {
        Socket call = platform.accept();
        calls.add(call);
        call.getOutputStream()
            .write(
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{\"half\":1"
                    .getBytes(StandardCharsets.US_ASCII));
        call.getOutputStream().flush();
      }
    } catch (IOException e) {
      return; // The test is over.
    }
  }
}
