package io.convoke.bench.load;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import java.net.URI;

/**
 * The HTTP server of all references, with the settings of Convoke's own listener: a reference with
 * Helidon's defaults would be slower, and its ratio would flatter.
 */
public final class ReferenceServer {
  private ReferenceServer() {}

  /** Starts on a free port and prints the line for which its caller waits. */
  public static void start(HttpRouting.Builder routing) {
    WebServer server = listener().routing(routing).build().start();
    System.out.println("ready " + URI.create("http://127.0.0.1:" + server.port()));
  }

  static WebServerConfig.Builder listener() {
    return WebServer.builder()
        .host("127.0.0.1")
        .port(0)
        .useNio(false)
        .protocolsDiscoverServices(false)
        .addProtocol(
            Http1Config.builder()
                .validateResponseHeaders(false)
                .log(log -> log.receiveLog(false).sendLog(false))
                .build())
        .connectionOptions(socket -> socket.tcpNoDelay(true));
  }
}
