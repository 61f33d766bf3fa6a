package io.convoke.chaos.bots;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Faulty proxy between servers and the Docker engine, one connection per call. Depending only on
 * the seed and the call's identity it delays the call, answers 500 without forwarding it, or drops
 * the request or the response. For rooms of a certain kind it reports the image as missing.
 */
final class DockerFaultProxy implements AutoCloseable {
  private final DockerFaultRates rates;
  private final Path socket;
  private final Path engine;
  private final ServerSocketChannel server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
  private volatile boolean calm;

  /**
   * Fault probabilities in percent of calls.
   *
   * @param delayed the call is delayed by up to three seconds
   * @param failed answered with 500; not forwarded
   * @param lost the connection closes; not forwarded
   * @param unanswered the connection closes after the engine handled the call
   */
  record DockerFaultRates(long seed, int delayed, int failed, int lost, int unanswered) {
    @Override
    public String toString() {
      return "%d %% delayed, %d %% answered 500, %d %% lost, %d %% unanswered"
          .formatted(delayed, failed, lost, unanswered);
    }
  }

  private DockerFaultProxy(DockerFaultRates rates, Path socket, Path engine) throws IOException {
    this.rates = rates;
    this.socket = socket;
    this.engine = engine;
    this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    var _ = server.bind(UnixDomainSocketAddress.of(socket));
    var _ = threads.submit(this::accept);
  }

  static DockerFaultProxy start(DockerFaultRates rates, Path socket, Path engine)
      throws IOException {
    return new DockerFaultProxy(rates, socket, engine);
  }

  Path socket() {
    return socket;
  }

  void calm() {
    calm = true;
  }

  @Override
  public void close() {
    var _ = threads.shutdownNow();
    try {
      server.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private boolean accept() throws IOException {
    while (server.isOpen()) {
      SocketChannel client = server.accept();
      var _ = threads.submit(() -> carry(client));
    }
    return true;
  }

  private boolean carry(SocketChannel client) throws IOException {
    try (client) {
      InputStream in = Channels.newInputStream(client);
      OutputStream out = Channels.newOutputStream(client);
      String head = head(in);
      if (head.isEmpty()) {
        return false;
      }
      byte[] body = body(head, in);
      String call = name(head);
      int time = counts.computeIfAbsent(call, key -> new AtomicInteger()).incrementAndGet();
      if (draw(call, time, "delayed") < rates.delayed()) {
        LockSupport.parkNanos(Duration.ofMillis(draw(call, time, "delay") * 30L).toNanos());
      }
      if (draw(call, time, "lost") < rates.lost()) {
        return false;
      }
      if (draw(call, time, "failed") < rates.failed()) {
        answer(out, "500 Internal Server Error", "engine failure");
        return false;
      }
      if (call.equals("POST create")
          && new String(body, StandardCharsets.UTF_8).contains(BotScenarioKind.FAILS.mark())) {
        answer(out, "404 Not Found", "No such image: " + FaultyBotImage.NAME);
        return false;
      }
      boolean answered = draw(call, time, "unanswered") >= rates.unanswered();
      return pass(head, body, out, answered);
    }
  }

  /** Copies in both directions until the engine closes the connection. */
  private boolean pass(String head, byte[] body, OutputStream out, boolean answered)
      throws IOException {
    try (SocketChannel there = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      boolean _ = there.connect(UnixDomainSocketAddress.of(engine));
      OutputStream to = Channels.newOutputStream(there);
      String once =
          head.replaceFirst("(?i)\r\nConnection:[^\r]*", "")
              .replaceFirst("\r\n", "\r\nConnection: close\r\n");
      to.write(once.getBytes(StandardCharsets.UTF_8));
      to.write(body);
      InputStream from = Channels.newInputStream(there);
      byte[] part = new byte[8192];
      for (int read = from.read(part); read >= 0; read = from.read(part)) {
        if (!answered) {
          return false;
        }
        out.write(part, 0, read);
      }
      return true;
    }
  }

  private static void answer(OutputStream out, String status, String message) throws IOException {
    String body = "{\"message\":\"" + message + "\"}";
    out.write(
        ("HTTP/1.1 "
                + status
                + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.UTF_8));
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int ends = 0;
    for (int next = in.read(); next >= 0; next = in.read()) {
      bytes.write(next);
      ends = next == "\r\n\r\n".charAt(ends) ? ends + 1 : next == '\r' ? 1 : 0;
      if (ends == 4) {
        return bytes.toString(StandardCharsets.UTF_8);
      }
    }
    return "";
  }

  /** The raw body; a chunked one with its chunk sizes. */
  private static byte[] body(String head, InputStream in) throws IOException {
    String names = head.toLowerCase(java.util.Locale.ROOT);
    int length = names.indexOf("\r\ncontent-length:");
    if (length >= 0) {
      String value = names.substring(length + 17, names.indexOf("\r\n", length + 2));
      return in.readNBytes(Integer.parseInt(value.strip()));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean more = names.contains("\r\ntransfer-encoding: chunked");
    while (more) {
      String size = line(in);
      int bytesOfChunk = Integer.parseInt(size.strip(), 16);
      bytes.write(size.getBytes(StandardCharsets.US_ASCII));
      bytes.write(in.readNBytes(bytesOfChunk + 2));
      more = bytesOfChunk > 0;
    }
    return bytes.toByteArray();
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next >= 0 && next != '\n') {
      line.append((char) next);
      next = in.read();
    }
    return line.append('\n').toString();
  }

  /** Name of the call without ids: {@code POST create}, {@code GET json}. */
  private static String name(String head) {
    String[] line = head.substring(0, head.indexOf("\r\n")).split("[ ?]", -1);
    return line[0] + " " + line[1].substring(line[1].lastIndexOf('/') + 1);
  }

  /** Hash of the seed and these names, below 100; 100 once faults are off. */
  private int draw(String call, int time, String what) {
    int hash = Objects.hash(rates.seed(), call, time, what) * 0x9E3779B9;
    return calm ? 100 : Math.floorMod(hash ^ (hash >>> 15), 100);
  }
}
