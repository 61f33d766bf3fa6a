package io.convoke.bench.presence;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy between a server and Redis that counts the server's commands. Redis' own statistics also
 * count the commands inside a script; only the connection shows what was sent.
 */
final class CountingRedisProxy implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final URI redis;
  private final ServerSocket listener;
  private final AtomicLong calls = new AtomicLong();
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  CountingRedisProxy(URI redis) throws IOException {
    this.redis = redis;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    var _ = Thread.ofVirtual().name("relay").start(this::accept);
  }

  /** Where the server finds Redis. */
  String url() {
    return "redis://%s@127.0.0.1:%d".formatted(redis.getUserInfo(), listener.getLocalPort());
  }

  long calls() {
    return calls.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(redis.getHost(), redis.getPort());
        open.addAll(List.of(client, server));
        for (Socket socket : List.of(client, server)) {
          socket.setTcpNoDelay(true);
        }
        RedisCommandCounter counter = new RedisCommandCounter();
        copy(
            client,
            server,
            (piece, length) -> {
              long before = counter.calls();
              counter.read(piece, length);
              long _ = calls.addAndGet(counter.calls() - before);
            });
        copy(server, client, (piece, length) -> {});
      } catch (IOException closed) {
        // The listener is closed, or one connection could not be made and its client will see it.
      }
    }
  }

  private interface TrafficObserver {
    void at(byte[] piece, int length);
  }

  private static void copy(Socket from, Socket to, TrafficObserver trafficObserver) {
    var _ =
        Thread.ofVirtual()
            .name("relay-copy")
            .start(
                () -> {
                  byte[] piece = new byte[BUFFER];
                  try (from;
                      to) {
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream();
                    for (int length = in.read(piece); length > 0; length = in.read(piece)) {
                      trafficObserver.at(piece, length);
                      out.write(piece, 0, length);
                    }
                  } catch (IOException closed) {
                    // One side has closed; closing the other propagates it.
                  }
                });
  }
}
