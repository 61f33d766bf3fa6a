package io.convoke.agent.meeting;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** Takes the parts of a recording, and answers as a test says. */
final class PartServer implements AutoCloseable {
  final List<TakenPart> taken = new CopyOnWriteArrayList<>();
  final AtomicInteger failuresToCome = new AtomicInteger();

  /** How many parts were taken, after each. */
  final TestSignal<Integer> answered = new TestSignal<>();

  volatile int answer = 200;
  volatile String status = "in_progress";
  private final HttpServer server;

  /** What came with a part, and the size of its file. */
  record TakenPart(JsonNode metadata, int size, String authorization) {
    String person() {
      return metadata.path("participant_id").asString("all");
    }

    boolean last() {
      return metadata.path("is_final").asBoolean();
    }
  }

  PartServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/bots/internal/recordings", this::take);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), ISO_8859_1);
      if (failuresToCome.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      String[] fields = body.split("--convoke-recording-part(--)?\r\n", -1);
      taken.add(
          new TakenPart(
              Json.read(fields[1].substring(fields[1].indexOf("\r\n\r\n") + 4)),
              fields[2].length() - fields[2].indexOf("\r\n\r\n") - 6,
              exchange.getRequestHeaders().getFirst("Authorization")));
      byte[] text = Json.bytes(Map.of("recording_id", "x", "status", status));
      exchange.sendResponseHeaders(answer, text.length);
      exchange.getResponseBody().write(text);
    }
    answered.emit(taken.size());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
