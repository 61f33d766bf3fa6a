package io.convoke.bench.presence;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of Daily's API that presence uses, with any number of rooms: presence of one room, and
 * of all. It answers at once.
 */
final class FakeDaily implements AutoCloseable {
  private static final String ROOMS = "/v1/rooms/";

  private final HttpServer server;
  private final List<List<String>> people = new ArrayList<>();
  private final String since = Instant.now().minusSeconds(600).truncatedTo(ChronoUnit.MILLIS) + "";
  private final AtomicLong domainCalls = new AtomicLong();
  private final AtomicLong roomCalls = new AtomicLong();

  FakeDaily(int rooms) throws IOException {
    for (int i = 0; i < rooms; i++) {
      people.add(List.of(session(i)));
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    var _ =
        server.createContext(
            "/v1/presence",
            exchange -> {
              long _ = domainCalls.incrementAndGet();
              answer(exchange, 200, domain());
            });
    var _ =
        server.createContext(
            ROOMS,
            exchange -> {
              long _ = roomCalls.incrementAndGet();
              String path = exchange.getRequestURI().getPath();
              int from = ROOMS.length();
              int room = number(path.substring(from, path.indexOf('/', from)));
              List<String> there = in(room);
              answer(
                  exchange,
                  200,
                  "{\"total_count\":%d,\"data\":[%s]}".formatted(there.size(), entries(room)));
            });
    var _ = server.createContext("/", exchange -> answer(exchange, 404, "{}"));
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
  }

  static String room(int number) {
    return "room-" + number;
  }

  /** The first session of a room. */
  static String session(int number) {
    return "session-" + number;
  }

  static int number(String room) {
    return Integer.parseInt(room.substring(room.indexOf('-') + 1));
  }

  /** Adds a participant. */
  synchronized void join(int room, String session) {
    List<String> more = new ArrayList<>(people.get(room));
    more.add(session);
    people.set(room, List.copyOf(more));
  }

  synchronized List<String> in(int room) {
    return people.get(room);
  }

  /** Requests for one room; also counts those of the reference loop. */
  List<String> ask(int room) {
    long _ = roomCalls.incrementAndGet();
    return in(room);
  }

  long domainCalls() {
    return domainCalls.get();
  }

  long roomCalls() {
    return roomCalls.get();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private String domain() {
    StringBuilder all = new StringBuilder(200 * people.size()).append('{');
    for (int i = 0; i < people.size(); i++) {
      all.append(i == 0 ? "" : ",").append('"').append(room(i)).append("\":[");
      all.append(entries(i)).append(']');
    }
    return all.append('}').toString();
  }

  private String entries(int room) {
    StringBuilder all = new StringBuilder();
    for (String session : in(room)) {
      all.append(all.isEmpty() ? "" : ",")
          .append("{\"room\":\"")
          .append(room(room))
          .append("\",\"id\":\"")
          .append(session)
          .append("\",\"userId\":null,\"userName\":\"Participant\",\"mtgSessionId\":\"meeting-")
          .append(room)
          .append("\",\"joinTime\":\"")
          .append(since)
          .append("\",\"duration\":600}");
    }
    return all.toString();
  }

  private static void answer(HttpExchange exchange, int status, String json) throws IOException {
    try (exchange) {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
