package io.convoke.chaos;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
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

/**
 * A wire between a process and a store that can become a black hole: both ends stay open and
 * nothing arrives any more, as when a router forgets a connection. An end that closes is told to
 * the other one all the same, or a dead process would seem to live for as long as this one.
 *
 * <p>It can be slow, too: what the process says is kept for a while and arrives then, whatever has
 * become of the process.
 */
public final class BlackholeProxy implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final List<ProxiedConnection> pairs = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Who waits for the process to be heard again. */
  private final Queue<CompletableFuture<Instant>> unheard = new ConcurrentLinkedQueue<>();

  /** Two sockets; its lock guards what is kept, and the order in which it leaves. */
  private static final class ProxiedConnection {
    private final Socket near;
    private final Socket far;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private volatile boolean silent;
    private boolean slow;
    private boolean ended;

    ProxiedConnection(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }

    synchronized void slow() {
      slow = true;
    }

    /** Whether what the process says passes at once. */
    synchronized boolean isConnected() {
      return !silent && !slow;
    }

    /** What the process says. */
    synchronized void write(byte[] bytes, int length) throws IOException {
      if (slow) {
        kept.write(bytes, 0, length);
      } else {
        far.getOutputStream().write(bytes, 0, length);
      }
    }

    /** Has arrive what was kept; false if the process is no longer there. */
    synchronized boolean arrive() throws IOException {
      slow = false;
      kept.writeTo(far.getOutputStream());
      kept.reset();
      return !ended;
    }

    /** An end closed; true if the other one can be told now, false if something is on its way. */
    synchronized boolean end() {
      ended = true;
      return !slow;
    }

    /** Breaks towards the process. */
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

  /** To a port of this machine. */
  public BlackholeProxy(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    var _ = threads.submit(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /**
   * From now on nothing passes on the connections that are open; new ones are whole.
   *
   * @return done when the process is heard on a new one
   */
  public CompletableFuture<Instant> silence() {
    pairs.forEach(proxiedConnection -> proxiedConnection.silent = true);
    return unheard();
  }

  /**
   * What the process says on the connections that are open arrives only after this.
   *
   * @return done when that arrives, or when the process is heard on a new connection before
   */
  public CompletableFuture<Instant> slow(Duration span) {
    List<ProxiedConnection> slowed = List.copyOf(pairs);
    slowed.forEach(ProxiedConnection::slow);
    CompletableFuture<Instant> heard = unheard();
    CompletableFuture.delayedExecutor(span.toMillis(), TimeUnit.MILLISECONDS, threads)
        .execute(
            () -> {
              slowed.forEach(this::arrive);
              boolean _ = heard.complete(Instant.now());
            });
    return heard;
  }

  /**
   * The same, and the process sees these connections break meanwhile: so it says again on new ones
   * what nobody answered, and what it said first arrives later than that.
   */
  public void slow(Duration breaking, Duration span) {
    List<ProxiedConnection> broken = List.copyOf(pairs);
    var _ = slow(span);
    CompletableFuture.delayedExecutor(breaking.toMillis(), TimeUnit.MILLISECONDS, threads)
        .execute(() -> broken.forEach(ProxiedConnection::leave));
  }

  /** New connections are another process' from now on: they tell nothing of this one. */
  public void another() {
    unheard.clear();
  }

  /** The ports by which the store knows the connections that pass here now. */
  public List<Integer> farPorts() {
    return pairs.stream().map(proxiedConnection -> proxiedConnection.far.getLocalPort()).toList();
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
        ProxiedConnection proxiedConnection =
            new ProxiedConnection(near, new Socket(InetAddress.getLoopbackAddress(), target));
        pairs.add(proxiedConnection);
        var _ =
            threads.submit(
                () ->
                    carry(
                        proxiedConnection,
                        proxiedConnection.near,
                        (bytes, length) -> say(proxiedConnection, bytes, length)));
        OutputStream toNear = near.getOutputStream();
        var _ =
            threads.submit(
                () ->
                    carry(
                        proxiedConnection,
                        proxiedConnection.far,
                        (bytes, length) -> toNear.write(bytes, 0, length)));
      } catch (IOException away) {
        near.close();
      }
    }
  }

  private CompletableFuture<Instant> unheard() {
    CompletableFuture<Instant> heard = new CompletableFuture<>();
    boolean _ = unheard.add(heard);
    return heard;
  }

  private void say(ProxiedConnection proxiedConnection, byte[] bytes, int length)
      throws IOException {
    proxiedConnection.write(bytes, length);
    if (!unheard.isEmpty() && proxiedConnection.isConnected()) {
      Instant now = Instant.now();
      for (var heard = unheard.poll(); heard != null; heard = unheard.poll()) {
        boolean _ = heard.complete(now);
      }
    }
  }

  private interface ProxyListener {
    void onBytes(byte[] bytes, int length) throws IOException;
  }

  private boolean carry(ProxiedConnection proxiedConnection, Socket from, ProxyListener to) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!proxiedConnection.silent) {
          to.onBytes(buffer, read);
        }
      }
      return true;
    } catch (IOException gone) {
      return false;
    } finally {
      if (proxiedConnection.end()) {
        end(proxiedConnection);
      }
    }
  }

  private void arrive(ProxiedConnection proxiedConnection) {
    try {
      if (!proxiedConnection.arrive()) {
        end(proxiedConnection);
      }
    } catch (IOException gone) {
      end(proxiedConnection);
    }
  }

  private void end(ProxiedConnection proxiedConnection) {
    boolean _ = pairs.remove(proxiedConnection);
    proxiedConnection.close();
  }
}
