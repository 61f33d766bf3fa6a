package io.convoke.engine.wake;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A wire that can go dead without a word, as a network does when a router forgets a connection. */
public final class SilentProxy implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final List<Pair> pairs = new CopyOnWriteArrayList<>();

  private record Pair(Socket client, Socket server, AtomicBoolean dead) {}

  public SilentProxy(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /** From now on nothing passes on the connections that are open; new ones are whole. */
  public void silenceOpenConnections() {
    pairs.forEach(pair -> pair.dead.set(true));
  }

  /** Cuts the connections that are open, in a way that both ends notice. */
  public void cut() throws IOException {
    for (Pair pair : pairs) {
      pair.client.close();
      pair.server.close();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
        Pair pair = new Pair(client, upstream, new AtomicBoolean());
        pairs.add(pair);
        Thread.ofVirtual().start(() -> pump(client, upstream, pair));
        Thread.ofVirtual().start(() -> pump(upstream, client, pair));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private static void pump(Socket from, Socket to, Pair pair) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!pair.dead.get()) {
          out.write(buffer, 0, read);
        }
      }
      if (!pair.dead.get()) {
        to.close();
      }
    } catch (IOException closed) {
      // Either end went away.
    }
  }
}
