package io.convoke.simulator;

import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.observe.ObservationAwaiter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;

/** Reads a room's event stream as a bot does. */
final class RoomEventReader implements AutoCloseable {

  /** One event of the stream. */
  record Heard(String id, String event, JsonNode data) {}

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Heard> heard = new ArrayList<>();
  private final ObservationAwaiter<Heard> observationAwaiter =
      new ObservationAwaiter<>(this::heard);
  private final CountDownLatch over = new CountDownLatch(1);
  private final InputStream stream;

  RoomEventReader(String url, String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<InputStream> answer =
        http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    if (answer.statusCode() != 200) {
      throw new AssertionError("the stream was refused with " + answer.statusCode());
    }
    stream = answer.body();
    Thread.ofVirtual().start(this::listen);
  }

  private void listen() {
    String id = "";
    String event = "";
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("event: ")) {
          event = line.substring(7);
        } else if (line.startsWith("data: ")) {
          byte[] json = line.substring(6).getBytes(StandardCharsets.UTF_8);
          Heard sighting = new Heard(id, event, SimJson.read(json).orElseThrow());
          synchronized (this) {
            heard.add(sighting);
          }
          observationAwaiter.emit(sighting);
        }
      }
    } catch (IOException broken) {
      // The test or the simulator closed the stream; the events until then count.
    } finally {
      over.countDown();
    }
  }

  synchronized List<Heard> heard() {
    return new ArrayList<>(heard);
  }

  List<String> events() {
    return heard().stream().map(Heard::event).toList();
  }

  JsonNode await(String event) throws TimeoutException {
    return observationAwaiter.await(h -> h.event().equals(event), WebhookReceiver.PATIENCE).data();
  }

  /** The snapshot with this state of the bot. */
  JsonNode awaitState(String state) throws TimeoutException {
    return observationAwaiter
        .await(
            h -> h.event().equals("snapshot") && h.data().path("state").asString("").equals(state),
            WebhookReceiver.PATIENCE)
        .data();
  }

  void awaitEnd() throws InterruptedException {
    if (!over.await(WebhookReceiver.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the stream did not end");
    }
  }

  /** Disconnects without leaving. */
  @Override
  public void close() throws IOException {
    stream.close();
    http.shutdownNow();
  }
}
