package io.convoke.fakes.speech;

import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A Chromium without windows, whose one page has people who join rooms and speak. The page is
 * commanded by the protocol of the browser's own debugger.
 */
public final class SpeakingBrowser implements AutoCloseable {
  private static final List<String> PROGRAMS = List.of("chromium-headless-shell", "chromium");
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  /** What is evaluated before the page is there is lost with the empty one. */
  private static final String LOADED =
      "document.readyState === 'complete' && location.pathname === '/join.html'";

  private static final JsonMapper JSON = JsonMapper.shared();

  private final GuardedProcess process;
  private final HttpClient client = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final AtomicInteger calls = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();

  /** The browser failed, or what the page did failed. */
  public static final class PageFailure extends Exception {
    private static final long serialVersionUID = 1;

    private PageFailure(String message) {
      super(message);
    }
  }

  /** Whether a browser is installed; it is installed if that is allowed. */
  public static boolean install() {
    return DebianPackages.ensure(() -> program().isPresent(), PROGRAMS.getFirst());
  }

  private static Optional<Path> program() {
    return PROGRAMS.stream().flatMap(DebianPackages::onPath).findFirst();
  }

  /** Starts a browser with a folder of its own and opens the join page of a server. */
  public SpeakingBrowser(Path folder, URI server, OrphanReaper reaper)
      throws IOException, PageFailure {
    Files.createDirectories(folder);
    Path port = folder.resolve("DevToolsActivePort");
    Files.deleteIfExists(port);
    process =
        GuardedProcess.start(
            "Chromium",
            new ProcessBuilder(
                program().orElseThrow().toString(),
                "--headless",
                "--no-sandbox",
                "--no-first-run",
                "--disable-gpu",
                "--disable-background-networking",
                "--autoplay-policy=no-user-gesture-required",
                "--disable-features=WebRtcHideLocalIpsWithMdns",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder,
                server.resolve("/join.html").toString()),
            new byte[0],
            folder.resolveSibling(folder.getFileName() + ".log"),
            reaper,
            "TERM",
            () -> Files.exists(port) && port.toFile().length() > 0);
    try {
      socket =
          client
              .newWebSocketBuilder()
              .buildAsync(page(Files.readAllLines(port).getFirst()), new Answers())
              .get(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS);
      long deadline = System.nanoTime() + ANSWER_MAX.toNanos();
      while (!evaluate(LOADED).asBoolean(false)) {
        if (System.nanoTime() - deadline > 0) {
          throw new PageFailure("the join page does not load");
        }
        LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
      }
      JsonNode _ = evaluate(script());
    } catch (ExecutionException | TimeoutException | IOException | PageFailure failed) {
      process.kill();
      throw new PageFailure("Chromium does not talk: " + failed);
    } catch (InterruptedException stopped) {
      throw interrupted();
    }
  }

  private URI page(String port) throws IOException, InterruptedException {
    URI list = URI.create("http://127.0.0.1:" + port + "/json/list");
    String body = client.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString()).body();
    return JSON.readTree(body)
        .valueStream()
        .filter(it -> it.path("type").asString().equals("page"))
        .map(it -> URI.create(it.path("webSocketDebuggerUrl").asString()))
        .findFirst()
        .orElseThrow(() -> new IOException("no page in " + body));
  }

  private static String script() throws IOException {
    try (InputStream in = SpeakingBrowser.class.getResourceAsStream("/speakers.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Calls a function of the page's {@code speakers} and waits for what it promises. */
  public JsonNode call(String function, Object argument) throws PageFailure {
    return evaluate("speakers.%s(%s)".formatted(function, JSON.writeValueAsString(argument)));
  }

  private JsonNode evaluate(String expression) throws PageFailure {
    int id = calls.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    Map<String, ?> parameters =
        Map.of("expression", expression, "awaitPromise", true, "returnByValue", true);
    String command =
        JSON.writeValueAsString(
            Map.of("id", id, "method", "Runtime.evaluate", "params", parameters));
    try {
      synchronized (socket) {
        WebSocket _ = socket.sendText(command, true).get(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS);
      }
      JsonNode result = answer.get(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS).path("result");
      if (result.has("exceptionDetails")) {
        throw new PageFailure(result.path("exceptionDetails").path("exception").toString());
      }
      return result.path("result").path("value");
    } catch (ExecutionException | TimeoutException failed) {
      throw new PageFailure(failed.toString());
    } catch (InterruptedException stopped) {
      throw interrupted();
    } finally {
      var _ = waiting.remove(id);
    }
  }

  private static IllegalStateException interrupted() {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted");
  }

  /** Kills it, and with it the people of its page. */
  public void kill() {
    process.kill();
    client.shutdownNow();
  }

  @Override
  public void close() {
    kill();
  }

  /** Gives each answer to the one who waits for it. */
  private final class Answers implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        JsonNode message = JSON.readTree(text.toString());
        text.setLength(0);
        CompletableFuture<JsonNode> asker = waiting.get(message.path("id").asInt(0));
        if (asker != null) {
          boolean _ = asker.complete(message);
        }
      }
      from.request(1);
      return CompletableFuture.completedStage(data);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      return failed(new IOException("Chromium closed the connection"));
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      var _ = failed(error);
    }

    private CompletionStage<?> failed(Throwable error) {
      List.copyOf(waiting.values()).forEach(it -> it.completeExceptionally(error));
      return CompletableFuture.completedStage(error);
    }
  }
}
