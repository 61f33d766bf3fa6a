package io.convoke.server.sync;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A proxy to Postgres that breaks a connection once, after the server has answered a chosen
 * statement and before the client receives the answer: the commit happened, but the client does not
 * know.
 */
final class LossyPostgresProxy implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final AtomicReference<String> word = new AtomicReference<>("");

  LossyPostgresProxy(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread _ = Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** The next connection that sends this text loses the response. */
  void breakAfter(String sent) {
    word.set(sent);
  }

  /** Whether the connection was broken. */
  boolean broke() {
    return word.get().isEmpty();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket near = server.accept();
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
        AtomicBoolean last = new AtomicBoolean();
        Thread _ = Thread.ofVirtual().start(() -> out(near, far, last));
        Thread _ = Thread.ofVirtual().start(() -> back(near, far, last));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void out(Socket near, Socket far, AtomicBoolean last) {
    byte[] buffer = new byte[65_536];
    try (far) {
      InputStream in = near.getInputStream();
      OutputStream out = far.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        String wanted = word.get();
        String sent = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
        if (!wanted.isEmpty() && sent.contains(wanted) && word.compareAndSet(wanted, "")) {
          last.set(true);
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException closed) {
      // Either end has closed the connection.
    }
  }

  private static void back(Socket near, Socket far, AtomicBoolean last) {
    byte[] buffer = new byte[65_536];
    try (near) {
      InputStream in = far.getInputStream();
      OutputStream out = near.getOutputStream();
      for (int read = in.read(buffer); read >= 0 && !last.get(); read = in.read(buffer)) {
        out.write(buffer, 0, read);
      }
    } catch (IOException closed) {
      // Either end has closed the connection.
    }
  }
}
