package io.convoke.simulator.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** An open server-sent event stream. Writing fails once the reader has disconnected. */
public final class ServerSentEvents {

  private final OutputStream out;

  ServerSentEvents(OutputStream out) {
    this.out = out;
  }

  public void send(long id, String event, Object data) throws IOException {
    write("id: " + id + "\nevent: " + event + "\ndata: " + SimJson.text(data) + "\n\n");
  }

  /** A comment, which readers skip: it detects closed connections. */
  public void beat() throws IOException {
    write(":\n\n");
  }

  private void write(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
