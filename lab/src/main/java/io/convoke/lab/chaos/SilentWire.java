package io.convoke.lab.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A wire between a process and a store that can become a black hole: both ends stay open and
 * nothing arrives any more, as when a router forgets a connection. An end that closes is told to
 * the other one all the same, or a dead process would seem to live for as long as this one.
 */
public final class SilentWire implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final List<Pair> pairs = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private record Pair(Socket near, Socket far, AtomicBoolean silent) {
    void close() {
      for (Socket socket : List.of(near, far)) {
        try {
          socket.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** To a port of this machine. */
  public SilentWire(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    var _ = threads.submit(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /** From now on nothing passes on the connections that are open; new ones are whole. */
  public void silence() {
    pairs.forEach(pair -> pair.silent.set(true));
  }

  /** The ports by which the store knows the connections that pass here now. */
  public List<Integer> farPorts() {
    return pairs.stream().map(pair -> pair.far.getLocalPort()).toList();
  }

  @Override
  public void close() throws IOException {
    server.close();
    pairs.forEach(Pair::close);
    var _ = threads.shutdownNow();
  }

  private boolean accept() throws IOException {
    while (true) {
      Socket near = server.accept();
      try {
        Pair pair =
            new Pair(
                near, new Socket(InetAddress.getLoopbackAddress(), target), new AtomicBoolean());
        pairs.add(pair);
        var _ = threads.submit(() -> carry(pair, pair.near, pair.far));
        var _ = threads.submit(() -> carry(pair, pair.far, pair.near));
      } catch (IOException away) {
        near.close();
      }
    }
  }

  private boolean carry(Pair pair, Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!pair.silent.get()) {
          out.write(buffer, 0, read);
        }
      }
      return true;
    } catch (IOException gone) {
      return false;
    } finally {
      boolean _ = pairs.remove(pair);
      pair.close();
    }
  }
}
