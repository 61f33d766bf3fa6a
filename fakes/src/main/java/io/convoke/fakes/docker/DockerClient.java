package io.convoke.fakes.docker;

import io.convoke.simulator.http.SimJson;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The few calls to an engine that fault injection needs, one connection each. */
public final class DockerClient {
  private final Path socket;

  public DockerClient(Path socket) {
    this.socket = socket;
  }

  /** Ids of containers with this label by their names. */
  public Map<String, String> labelled(String label, boolean alsoEnded) throws IOException {
    String filters = URLEncoder.encode("{\"label\":[\"" + label + "\"]}", StandardCharsets.UTF_8);
    String body = call("GET", "/containers/json?all=" + alsoEnded + "&filters=" + filters);
    Map<String, String> containers = new TreeMap<>();
    for (JsonNode one :
        SimJson.read(body.getBytes(StandardCharsets.UTF_8))
            .orElseThrow(() -> new IOException("the engine lists no containers: " + body))) {
      containers.put(
          one.path("Names").path(0).asString("").replace("/", ""), one.path("Id").asString(""));
    }
    return containers;
  }

  /** Sends SIGKILL; a container that does not run any more is fine. */
  public void kill(String id) throws IOException {
    String _ = call("POST", "/containers/" + id + "/kill");
  }

  /** Freezes all of its processes. */
  public void pause(String id) throws IOException {
    String _ = call("POST", "/containers/" + id + "/pause");
  }

  public void remove(String id) throws IOException {
    String _ = call("DELETE", "/containers/" + id + "?force=true&v=true");
  }

  /** HTTP/1.0, so that the answer is plain and ends with the connection. */
  private String call(String method, String path) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      boolean _ = channel.connect(UnixDomainSocketAddress.of(socket));
      OutputStream out = Channels.newOutputStream(channel);
      out.write(
          (method + " " + path + " HTTP/1.0\r\nHost: docker\r\nContent-Length: 0\r\n\r\n")
              .getBytes(StandardCharsets.UTF_8));
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      int body = answer.indexOf("\r\n\r\n");
      return body < 0 ? "" : answer.substring(body + 4);
    }
  }
}
