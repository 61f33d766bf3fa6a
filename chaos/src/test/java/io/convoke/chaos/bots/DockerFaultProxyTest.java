package io.convoke.chaos.bots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proxy between servers and the engine forwards calls and injects the configured faults. */
final class DockerFaultProxyTest {
  private static final String LIST = "GET /containers/json HTTP/1.1\r\nHost: docker\r\n\r\n";

  @TempDir private Path folder;
  private final List<String> received = new CopyOnWriteArrayList<>();
  private ServerSocketChannel engine;

  @BeforeEach
  void startTheEngine() throws IOException {
    engine = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    var _ = engine.bind(UnixDomainSocketAddress.of(folder.resolve("engine")));
    var _ = Thread.startVirtualThread(this::serve);
  }

  @AfterEach
  void stopTheEngine() throws IOException {
    engine.close();
  }

  @Test
  void aCallGoesThroughOnAConnectionOfItsOwn() throws IOException {
    try (DockerFaultProxy relay = relay(0, 0, 0)) {
      assertThat(ask(relay, LIST)).endsWith("well");
      assertThat(received).singleElement().asString().contains("\r\nConnection: close\r\n");
      assertThat(ask(relay, create("a-open-1"))).endsWith("well");
      assertThat(received.getLast()).endsWith("\r\n\r\n8\r\na-open-1\r\n0\r\n\r\n");
    }
  }

  @Test
  void anImageIsMissingForARoomOfThatKind() throws IOException {
    try (DockerFaultProxy relay = relay(0, 0, 0)) {
      assertThat(ask(relay, create("a-fails-1"))).contains("404 Not Found").contains("No such");
      assertThat(received).isEmpty();
    }
  }

  @Test
  void aFailedOrLostCallDoesNotReachTheEngineAndAnUnansweredOneDoes() throws IOException {
    try (DockerFaultProxy relay = relay(100, 0, 0)) {
      assertThat(ask(relay, LIST)).startsWith("HTTP/1.1 500");
      assertThat(received).isEmpty();
      relay.calm();
      assertThat(ask(relay, LIST)).as("without faults").endsWith("well");
    }
    received.clear();
    try (DockerFaultProxy relay = relay(0, 100, 0)) {
      assertThat(ask(relay, LIST)).isEmpty();
      assertThat(received).isEmpty();
    }
    try (DockerFaultProxy relay = relay(0, 0, 100)) {
      assertThat(ask(relay, LIST)).isEmpty();
      assertThat(received).hasSize(1);
    }
  }

  private DockerFaultProxy relay(int failed, int lost, int unanswered) throws IOException {
    return DockerFaultProxy.start(
        new DockerFaultProxy.DockerFaultRates(1, 0, failed, lost, unanswered),
        folder.resolve("relay-" + failed + "-" + lost + "-" + unanswered),
        folder.resolve("engine"));
  }

  private static String create(String room) {
    return "POST /containers/create?name=x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        + Integer.toHexString(room.length())
        + "\r\n"
        + room
        + "\r\n0\r\n\r\n";
  }

  private static String ask(DockerFaultProxy relay, String request) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      boolean _ = channel.connect(UnixDomainSocketAddress.of(relay.socket()));
      OutputStream out = Channels.newOutputStream(channel);
      out.write(request.getBytes(StandardCharsets.UTF_8));
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** An engine that reads what comes at once and is well. */
  private void serve() {
    while (engine.isOpen()) {
      try (SocketChannel client = engine.accept()) {
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        StringBuilder text = new StringBuilder();
        boolean more = true;
        while (more) {
          int _ = client.read(bytes.clear());
          text.append(StandardCharsets.UTF_8.decode(bytes.flip()));
          more = text.indexOf("chunked") > 0 && !text.toString().endsWith("0\r\n\r\n");
        }
        received.add(text.toString());
        int _ =
            client.write(
                ByteBuffer.wrap(
                    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell"
                        .getBytes(StandardCharsets.UTF_8)));
      } catch (IOException closed) {
        return;
      }
    }
  }
}
