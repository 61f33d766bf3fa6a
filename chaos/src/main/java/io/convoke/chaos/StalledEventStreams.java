package io.convoke.chaos;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Clients that open the event stream from its beginning, and never read. */
final class StalledEventStreams implements FaultTargets.StalledClients {
  /** The least that the kernel grants, so that few events fill the connection. */
  private static final int RECEIVE_BYTES = 1024;

  private final List<Socket> sockets = new ArrayList<>();

  private StalledEventStreams() {}

  /** Opens streams at the servers in turn; a server that is away gets none. */
  static StalledEventStreams open(List<URI> servers, String token, int number) {
    StalledEventStreams clients = new StalledEventStreams();
    for (int i = 0; i < number; i++) {
      clients.add(servers.get(i % servers.size()), token);
    }
    return clients;
  }

  @Override
  public void close() {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new IllegalStateException("cannot close a stream", e);
      }
    }
  }

  private void add(URI server, String token) {
    try {
      Socket socket = new Socket();
      sockets.add(socket);
      var _ = socket.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BYTES);
      socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), 1000);
      String request =
          "GET /events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
                  .formatted(server.getAuthority(), token)
              + "Accept: text/event-stream\r\nLast-Event-ID: 0\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    } catch (IOException away) {
      // A fault took the server.
    }
  }
}
