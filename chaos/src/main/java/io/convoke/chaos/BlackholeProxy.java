package io.convoke.chaos;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * TCP proxy between a process and a store that can drop all traffic of open connections without
 * closing them, like a router that lost its state. A close on one side is still forwarded, since
 * otherwise a dead process would appear alive.
 *
 * <p>It can also delay: it buffers what the process sends and delivers it later, even after the
 * process has died.
 */
public final class BlackholeProxy implements AutoCloseable {
  /** Bytes of an empty query of Postgres. */
  private static final int EMPTY_QUERY = 6;

  /** How an answer of Postgres ends outside of a transaction: ready for a query, and idle. */
  private static final String IDLE = "Z\0\0\0\5I";

  /** How the completion of a statement that stores something begins in it. */
  private static final Pattern STORED = Pattern.compile("(COMMIT\0|INSERT 0 |UPDATE |DELETE )");

  private final ServerSocket server;
  private final List<Integer> targets;
  private final List<ProxiedConnection> pairs = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Whether new connections are silent from their begin. */
  private volatile boolean cutOff;

  /** How many connections to Postgres end before their first statement. */
  private final AtomicInteger ending = new AtomicInteger();

  /** Whether a connection to Postgres ends instead of carrying the answer to a commit. */
  private volatile boolean unanswered;

  /** How long each piece of traffic is kept, in both directions. */
  private volatile long delayNanos;

  /** Completed when the store next receives data from the process. */
  private final Queue<CompletableFuture<Instant>> undelivered = new ConcurrentLinkedQueue<>();

  /** The two sockets of a connection; its lock guards the delayed bytes and their order. */
  private static final class ProxiedConnection {
    private final Socket near;
    private final Socket far;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private volatile boolean silent;
    private boolean used;
    private boolean slow;
    private boolean ended;

    ProxiedConnection(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }

    synchronized void slow() {
      slow = true;
    }

    /** Whether bytes from the process are forwarded without delay. */
    synchronized boolean isConnected() {
      return !silent && !slow;
    }

    /** Forwards or buffers bytes from the process. */
    synchronized void write(byte[] bytes, int length) throws IOException {
      if (slow) {
        kept.write(bytes, 0, length);
      } else {
        far.getOutputStream().write(bytes, 0, length);
      }
    }

    /** Flushes the buffered bytes; false if a side has closed. */
    synchronized boolean arrive() throws IOException {
      slow = false;
      kept.writeTo(far.getOutputStream());
      kept.reset();
      return !ended;
    }

    /**
     * Records that the process closed its side; false if buffered bytes must be delivered first.
     */
    synchronized boolean end() {
      ended = true;
      return !slow;
    }

    /** Closes the side towards the process. */
    void leave() {
      close(near);
    }

    void close() {
      close(near);
      close(far);
    }

    private static void close(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Proxies to a port on this machine. */
  public BlackholeProxy(int target) throws IOException {
    this(List.of(target));
  }

  /** Proxies each connection to the first of these ports that takes it, as a load balancer does. */
  public BlackholeProxy(List<Integer> targets) throws IOException {
    this.targets = List.copyOf(targets);
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    var _ = threads.submit(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /**
   * Drops all traffic on open connections from now on; new connections work.
   *
   * @return completes when the process sends on a new connection
   */
  public CompletableFuture<Instant> silence() {
    pairs.forEach(connection -> connection.silent = true);
    return undelivered();
  }

  /** Whether it drops all traffic, on new connections too. */
  public void cutOff(boolean off) {
    cutOff = off;
    if (off) {
      pairs.forEach(connection -> connection.silent = true);
    }
  }

  /** Completes when the process next sends on a connection that works. */
  public CompletableFuture<Instant> heardAgain() {
    return undelivered();
  }

  /**
   * Delays what the process sends on open connections by this span.
   *
   * @return completes on delivery, or earlier when the process sends on a new connection
   */
  public CompletableFuture<Instant> slow(Duration span) {
    List<ProxiedConnection> slowed = List.copyOf(pairs);
    slowed.forEach(ProxiedConnection::slow);
    CompletableFuture<Instant> delivered = undelivered();
    CompletableFuture.delayedExecutor(span.toMillis(), TimeUnit.MILLISECONDS, threads)
        .execute(
            () -> {
              slowed.forEach(this::arrive);
              boolean _ = delivered.complete(Instant.now());
            });
    return delivered;
  }

  /**
   * As above, and also closes these connections towards the process: it retries on new ones, and
   * the delayed originals arrive after the retries.
   */
  public void slow(Duration breaking, Duration span) {
    List<ProxiedConnection> broken = List.copyOf(pairs);
    var _ = slow(span);
    CompletableFuture.delayedExecutor(breaking.toMillis(), TimeUnit.MILLISECONDS, threads)
        .execute(() -> broken.forEach(ProxiedConnection::leave));
  }

  /** Ends the next connections to Postgres once they are open, before their first statements. */
  public void endNext(int connections) {
    ending.set(connections);
  }

  /** Whether answers of Postgres to commits are lost, and their connections end. */
  public void unanswered(boolean lost) {
    unanswered = lost;
  }

  /** Keeps each piece of traffic for so long from now on, in both directions. */
  public void delay(Duration span) {
    delayNanos = span.toNanos();
  }

  /** Forgets pending recoveries: new connections belong to another process. */
  public void another() {
    undelivered.clear();
  }

  /** Local ports of the open connections on the store's side. */
  public List<Integer> farPorts() {
    return pairs.stream().map(connection -> connection.far.getLocalPort()).toList();
  }

  @Override
  public void close() throws IOException {
    server.close();
    pairs.forEach(ProxiedConnection::close);
    var _ = threads.shutdownNow();
  }

  private boolean accept() throws IOException {
    while (true) {
      Socket near = server.accept();
      try {
        ProxiedConnection connection = new ProxiedConnection(near, connect());
        pairs.add(connection);
        if (cutOff) {
          connection.silent = true;
        }
        var _ =
            threads.submit(
                () ->
                    carry(
                        connection,
                        connection.near,
                        (bytes, length) -> forward(connection, bytes, length)));
        OutputStream toNear = near.getOutputStream();
        var _ =
            threads.submit(
                () ->
                    carry(
                        connection,
                        connection.far,
                        (bytes, length) -> {
                          if (unanswered && isCommitted(bytes, length)) {
                            throw new IOException("ended by the injector");
                          }
                          toNear.write(bytes, 0, length);
                        }));
      } catch (IOException away) {
        near.close();
      }
    }
  }

  private Socket connect() throws IOException {
    for (int target : targets.subList(0, targets.size() - 1)) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), target);
      } catch (IOException away) {
        // The next one is tried.
      }
    }
    return new Socket(InetAddress.getLoopbackAddress(), targets.getLast());
  }

  private CompletableFuture<Instant> undelivered() {
    CompletableFuture<Instant> delivered = new CompletableFuture<>();
    boolean _ = undelivered.add(delivered);
    return delivered;
  }

  private void forward(ProxiedConnection connection, byte[] bytes, int length) throws IOException {
    if (!connection.used && isStatement(bytes, length)) {
      connection.used = true;
      if (ending.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IOException("ended by the injector");
      }
    }
    connection.write(bytes, length);
    if (!undelivered.isEmpty() && connection.isConnected()) {
      Instant now = Instant.now();
      for (var delivered = undelivered.poll(); delivered != null; delivered = undelivered.poll()) {
        boolean _ = delivered.complete(now);
      }
    }
  }

  /**
   * Whether Postgres is sent an empty query, by which the driver tests a connection, or a parse
   * message: the driver opens a connection with a message of neither kind.
   */
  private static boolean isStatement(byte[] bytes, int length) {
    return bytes[0] == 'P' || (bytes[0] == 'Q' && length == EMPTY_QUERY);
  }

  /** Whether Postgres answers that something is stored. */
  private static boolean isCommitted(byte[] bytes, int length) {
    String answer = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    return answer.endsWith(IDLE) && STORED.matcher(answer).find();
  }

  private interface ProxyListener {
    void onBytes(byte[] bytes, int length) throws IOException;
  }

  private boolean carry(ProxiedConnection connection, Socket from, ProxyListener to) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        for (long left = delayNanos, end = System.nanoTime() + left; left > 0; ) {
          LockSupport.parkNanos(left);
          left = end - System.nanoTime();
        }
        if (!connection.silent) {
          to.onBytes(buffer, read);
        }
      }
      return true;
    } catch (IOException closed) {
      return false;
    } finally {
      if (connection.end()) {
        end(connection);
      }
    }
  }

  private void arrive(ProxiedConnection connection) {
    try {
      if (!connection.arrive()) {
        end(connection);
      }
    } catch (IOException closed) {
      end(connection);
    }
  }

  private void end(ProxiedConnection connection) {
    boolean _ = pairs.remove(connection);
    connection.close();
  }
}
