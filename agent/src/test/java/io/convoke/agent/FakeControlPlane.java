package io.convoke.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** Receives callbacks over HTTP and replies as configured. */
final class FakeControlPlane implements AutoCloseable {
  /** One callback. */
  record Call(String name, JsonNode body, String authorization) {}

  final TestSignal<Call> heard = new TestSignal<>();
  final List<Call> calls = new CopyOnWriteArrayList<>();
  final Map<String, Map<String, Object>> commands = new ConcurrentHashMap<>();

  /** The sound of commands. */
  final Map<String, byte[]> sounds = new ConcurrentHashMap<>();

  final AtomicInteger failuresToCome = new AtomicInteger();

  /** The same of single calls, by name. */
  final Map<String, AtomicInteger> failuresOf = new ConcurrentHashMap<>();

  /** How often an ingress answers single calls: 200, with a page or JSON that is not ours. */
  final Map<String, AtomicInteger> pagesOf = new ConcurrentHashMap<>();

  /** How often the answers to single calls stall after their headers. */
  final Map<String, AtomicInteger> stallsOf = new ConcurrentHashMap<>();

  volatile int answer = 200;

  /** The replies to long polls for commands. */
  volatile int commandsAnswer = 200;

  /** Long polls so far. */
  final AtomicInteger waits = new AtomicInteger();

  /** Between two heartbeats. */
  volatile Duration heartbeat = Duration.ofMillis(100);

  private final HttpServer server;
  private final CountDownLatch closed = new CountDownLatch(1);

  FakeControlPlane() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/callback/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void command(String id, String action, Map<String, Object> more) {
    Map<String, Object> command = new java.util.LinkedHashMap<>(more);
    command.put("id", id);
    command.put("action", action);
    synchronized (commands) {
      commands.put(id, command);
      commands.notifyAll();
    }
  }

  List<String> names() {
    return calls.stream().map(Call::name).toList();
  }

  Optional<Call> last(String name) {
    return calls.stream().filter(call -> call.name().equals(name)).reduce((one, two) -> two);
  }

  BotConfig config(Optional<String> meetingUrl, Optional<String> redisUrl, AutomaticLeave leave) {
    return new BotConfig(
        42,
        "0123abcd-0000-0000-0000-000000000042",
        1,
        "daily",
        "standup",
        meetingUrl,
        Optional.empty(),
        "Scribe",
        Optional.of("en"),
        "transcribe",
        "the-token",
        url(),
        redisUrl,
        "convoke-bot-42-1-0123abcd",
        heartbeat,
        leave,
        true);
  }

  @Override
  public void close() {
    closed.countDown();
    synchronized (commands) {
      commands.notifyAll();
    }
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String sound = exchange.getRequestURI().getPath().replaceFirst("^/callback/speech/", "");
      if (!sound.startsWith("/")) {
        sendSound(exchange, Optional.ofNullable(sounds.get(sound)));
        return;
      }
      if (exchange.getRequestMethod().equals("GET")) {
        awaitCommand(exchange);
        return;
      }
      String name = exchange.getRequestURI().getPath().substring("/callback/".length());
      if (failuresToCome.getAndUpdate(left -> Math.max(0, left - 1)) > 0
          || left(failuresOf, name) > 0) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      int pages = left(pagesOf, name);
      if (pages > 0) {
        write(exchange, 200, (pages % 2 == 0 ? "<html>Welcome!</html>" : "{}").getBytes(UTF_8));
        return;
      }
      if (left(stallsOf, name) > 0) {
        stall(exchange);
        return;
      }
      Call call =
          new Call(
              name,
              Json.read(body, JsonNode.class),
              exchange.getRequestHeaders().getFirst("Authorization"));
      calls.add(call);
      if (call.name().equals("ack")) {
        var _ = commands.remove(call.body().path("command_id").asString());
      }
      send(exchange, answer);
      heard.emit(call);
    }
  }

  /** How often something is still to happen to a call, this one included. */
  private static int left(Map<String, AtomicInteger> times, String name) {
    return times.getOrDefault(name, new AtomicInteger()).getAndDecrement();
  }

  /** Sends headers and one byte, and then nothing until the end. */
  private void stall(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 10);
    exchange.getResponseBody().write('{');
    exchange.getResponseBody().flush();
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** {@code GET /callback/commands}: answers as soon as there is a command. */
  private void awaitCommand(HttpExchange exchange) throws IOException {
    int _ = waits.incrementAndGet();
    try {
      synchronized (commands) {
        while (commands.isEmpty() && commandsAnswer == 200 && closed.getCount() > 0) {
          commands.wait();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    send(exchange, commandsAnswer);
  }

  private static void sendSound(HttpExchange exchange, Optional<byte[]> sound) throws IOException {
    exchange.sendResponseHeaders(sound.isPresent() ? 200 : 404, sound.isPresent() ? 0 : -1);
    if (sound.isPresent()) {
      exchange.getResponseBody().write(sound.get());
    }
  }

  private void send(HttpExchange exchange, int status) throws IOException {
    byte[] text =
        Json.bytes(
            Map.of(
                "meeting_id",
                42,
                "status",
                "active",
                "commands",
                new ArrayList<>(commands.values())));
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    write(exchange, status, text);
  }

  private static void write(HttpExchange exchange, int status, byte[] text) throws IOException {
    exchange.sendResponseHeaders(status, text.length);
    exchange.getResponseBody().write(text);
  }
}
