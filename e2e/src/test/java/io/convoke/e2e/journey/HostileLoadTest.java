package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A well-behaved caller beside 5,000 wrong keys a second and a user who asks for 20,000 event
 * streams is served as well as beside as many requests of {@code /livez}.
 */
@Tag("nightly")
@Tag("heavy")
class HostileLoadTest {
  private static final int PER_SECOND = 5_000;
  private static final int STREAMS = 20_000;
  private static final int SENDERS = 16;
  private static final Duration PHASE = Duration.ofSeconds(20);
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(20);
  private static final Duration ALLOWANCE = Duration.ofMillis(50);

  @TempDir private Path folder;

  /** What the well-behaved caller met: the latencies, and answers other than success. */
  private record Service(Collection<Long> nanos, Collection<Integer> failures) {
    Duration percentile(double share) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      return Duration.ofNanos(sorted[(int) (share * (sorted.length - 1))]);
    }
  }

  /** What is asked for at the rate, and how often on a connection of its own. */
  private record Load(String request, String stream, String key) {}

  @Test
  @Timeout(300)
  void aWellBehavedCallerIsServedAsBesideTheSameLoadOfLivez() throws Exception {
    try (JourneyTestServer server = JourneyTestServer.open(folder, Map.of())) {
      ApiUser caller = server.user("caller@example.org");
      String hostile = server.key("hostile@example.org");
      URI address = URI.create(server.server().url());
      Set<Integer> statuses = ConcurrentHashMap.newKeySet();

      Service _ =
          beside(address, caller, new Load("/livez", "/livez", ""), ConcurrentHashMap.newKeySet());
      Service reference =
          beside(address, caller, new Load("/livez", "/livez", ""), ConcurrentHashMap.newKeySet());
      Service attacked =
          beside(address, caller, new Load("/meetings", "/events", hostile), statuses);

      System.err.printf(
          "beside /livez: p50 %s, p99 %s; beside the attack: p50 %s, p99 %s%n",
          reference.percentile(0.5),
          reference.percentile(0.99),
          attacked.percentile(0.5),
          attacked.percentile(0.99));
      assertThat(reference.failures).isEmpty();
      assertThat(attacked.failures).isEmpty();
      assertThat(statuses).isSubsetOf(200, 401, 429).contains(200, 401, 429);
      assertThat(attacked.percentile(0.99)).isLessThan(reference.percentile(0.99).plus(ALLOWANCE));
    }
  }

  private static Service beside(URI address, ApiUser caller, Load load, Set<Integer> statuses)
      throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger sent = new AtomicInteger();
    Queue<Socket> held = new ConcurrentLinkedQueue<>();
    Service service = new Service(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
    ArrayList<Thread> threads = new ArrayList<>();
    for (int sender : IntStream.range(0, SENDERS).toArray()) {
      threads.add(
          Thread.ofVirtual().start(() -> send(address, load, sender, over, sent, statuses)));
    }
    threads.add(Thread.ofVirtual().start(() -> openStreams(address, load, over, held, statuses)));
    long end = System.nanoTime() + PHASE.toNanos();
    for (int i = 0; System.nanoTime() < end; i++) {
      long begun = System.nanoTime();
      int status =
          i % 2 == 0
              ? caller.get("/meetings?limit=10").status()
              : caller
                  .post(
                      "/tasks",
                      """
                      {"request_id": "%s-%d", "type": "record", "action": "start",
                       "channel": "c", "payload": {}}
                      """
                          .formatted(begun, i))
                  .status();
      boolean _ = service.nanos.add(System.nanoTime() - begun);
      if (status >= 300) {
        boolean _ = service.failures.add(status);
      }
      LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
    }
    over.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    for (Socket socket : held) {
      socket.close();
    }
    long rate = sent.get() / PHASE.toSeconds();
    System.err.printf(
        "%d requests of %s a second, %d streams held%n", rate, load.request, held.size());
    return service;
  }

  /** Sends its share of the requests at the rate on one connection, opened again when it ends. */
  private static void send(
      URI address,
      Load load,
      int sender,
      AtomicBoolean over,
      AtomicInteger sent,
      Set<Integer> statuses) {
    long begun = System.nanoTime();
    int mine = 0;
    while (!over.get()) {
      try (Socket socket = connect(address, 2 + sender)) {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        boolean open = true;
        while (open && !over.get()) {
          LockSupport.parkNanos(
              begun + mine * 1_000_000_000L * SENDERS / PER_SECOND - System.nanoTime());
          mine++;
          write(socket, load.request, "cvk_wrong" + sender + "x" + mine);
          Answer answer = Answer.read(in);
          in.skipNBytes(answer.length);
          boolean _ = statuses.add(answer.status);
          int _ = sent.incrementAndGet();
          open = !answer.closes;
        }
      } catch (IOException e) {
        // The server may close a connection of failed sign-ins.
        mine++;
      }
    }
  }

  private static void openStreams(
      URI address, Load load, AtomicBoolean over, Queue<Socket> held, Set<Integer> statuses) {
    for (int i = 0; i < STREAMS && !over.get(); i++) {
      try {
        Socket socket = connect(address, 100);
        write(socket, load.stream, load.key);
        Answer answer = Answer.read(new BufferedInputStream(socket.getInputStream()));
        boolean _ = statuses.add(answer.status);
        if (answer.status == 200 && !load.key.isEmpty()) {
          boolean _ = held.add(socket);
        } else {
          socket.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static Socket connect(URI address, int from) throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0." + from), 0));
    socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
    return socket;
  }

  private static void write(Socket socket, String path, String key) throws IOException {
    socket
        .getOutputStream()
        .write(
            ("GET "
                    + path
                    + " HTTP/1.1\r\nHost: x\r\nX-API-Key: "
                    + key
                    + "\r\nAccept: text/event-stream, application/json\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
  }

  /** The head of an answer. */
  private record Answer(int status, int length, boolean closes) {
    static Answer read(InputStream in) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          throw new IOException("the connection ended");
        }
        head.append((char) next);
      }
      String text = head.toString().toLowerCase(Locale.ROOT);
      int length = 0;
      for (String line : text.split("\r\n", -1)) {
        if (line.startsWith("content-length:")) {
          length = Integer.parseInt(line.substring(15).trim());
        }
      }
      return new Answer(
          Integer.parseInt(text.substring(9, 12)), length, text.contains("connection: close"));
    }
  }
}
