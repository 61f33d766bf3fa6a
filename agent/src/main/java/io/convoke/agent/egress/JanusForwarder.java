package io.convoke.agent.egress;

import io.convoke.agent.egress.EgressPart.NotedForward;
import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Asks a Janus who publishes in a room, and to send their media to this pod. */
final class JanusForwarder implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JanusForwarder.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** Stops in a row that fail, after which no other one is tried. */
  private static final int FAILED_STOPS_MAX = 3;

  private static final String PLUGIN = "janus.plugin.videoroom";
  private static final int NO_SUCH_ROOM = 426;
  private static final int NO_SUCH_FEED = 428;

  /** From here on it is a proxy before Janus that answers, or Janus is not well. */
  private static final int SERVER_ERROR = 500;

  /** Of sound: 48 kHz, two channels. */
  static final int OPUS = 111;

  /** Of pictures. */
  static final int VP8 = 96;

  /** A publisher's first stream and its second one, by the numbers that browsers give. */
  private static final List<String> MIDS = List.of("0", "1");

  private final EgressConfig config;
  private final String room;
  private final String secret;
  private final HttpClient client = HttpClientFactory.create(TIMEOUT);

  JanusForwarder(EgressConfig config, String room, String secret) {
    this.config = config;
    this.room = room;
    this.secret = secret;
  }

  /** Someone who publishes. */
  record Publisher(String id, String name) {}

  /** Ports of this pod for one stream: an even one for media, the next one for its control. */
  record PortPair(int media) {
    int control() {
      return media + 1;
    }
  }

  /**
   * A stream that Janus sends here.
   *
   * @param streamId Janus' name of the forwarding
   * @param keyframes the port of Janus that takes requests for a whole picture, 0 without one
   */
  record Forward(
      Publisher publisher, boolean video, PortPair ports, long streamId, int keyframes) {}

  /** Janus refuses: the room is gone, or the secret is not the room's. */
  static final class ForwardingRefused extends Exception {
    private static final long serialVersionUID = 1;
    private final int code;

    private ForwardingRefused(int code, String reason) {
      super(reason);
      this.code = code;
    }

    boolean roomIsGone() {
      return code == NO_SUCH_ROOM;
    }

    /** Whether the publisher left after Janus had listed it. */
    boolean publisherIsGone() {
      return code == NO_SUCH_FEED;
    }
  }

  /** Janus gives no answer, or none that it should give. */
  static final class JanusAway extends IOException {
    private static final long serialVersionUID = 1;

    private JanusAway(String message, Exception cause) {
      super(message, cause);
    }
  }

  /**
   * Those who publish now.
   *
   * @param talking the ids of those who speak, as far as Janus knows
   */
  record PublishersNow(List<Publisher> publishers, Set<String> talking) {
    PublishersNow {
      publishers = List.copyOf(publishers);
      talking = Set.copyOf(talking);
    }
  }

  /**
   * Asks who publishes, at most so many. Janus lists them in an order that may be another one each
   * time, so those of {@code before} come first, in their order.
   */
  PublishersNow publishers(List<Publisher> before, int most)
      throws IOException, InterruptedException, ForwardingRefused {
    List<Publisher> found = new ArrayList<>();
    Set<String> talking = new HashSet<>();
    for (JsonNode one : ask("listparticipants", Map.of()).path("participants")) {
      // The dummy publisher that Janus makes in some rooms sends nothing.
      if (one.path("publisher").asBoolean(false) && !one.path("dummy").asBoolean(false)) {
        String id = one.path("id").asString("");
        found.add(new Publisher(id, one.path("display").asString(id)));
        if (one.path("talking").asBoolean(false)) {
          boolean _ = talking.add(id);
        }
      }
    }
    List<String> places = before.stream().map(Publisher::id).toList();
    found.sort(
        Comparator.comparingInt(
            one -> places.contains(one.id()) ? places.indexOf(one.id()) : places.size()));
    return new PublishersNow(found.subList(0, Math.min(most, found.size())), talking);
  }

  /** Whether all of these are forwarded still: those of a publisher who unpublishes are not. */
  boolean forwards(List<NotedForward> streams) throws IOException, InterruptedException {
    Set<NotedForward> now = new HashSet<>();
    try {
      for (JsonNode publisher : ask("listforwarders", Map.of()).path("publishers")) {
        String id = publisher.path("publisher_id").asString("");
        for (JsonNode one : publisher.path("forwarders")) {
          boolean _ = now.add(new NotedForward(id, one.path("stream_id").asLong(0)));
        }
      }
    } catch (ForwardingRefused refused) {
      // The room may have another secret by now, and forwards as before.
      return true;
    }
    return now.containsAll(streams);
  }

  /** Has both streams of a publisher sent here; an answer tells what each is. */
  List<Forward> forward(Publisher publisher)
      throws IOException, InterruptedException, ForwardingRefused {
    List<Map<String, Object>> streams = new ArrayList<>();
    Map<Integer, PortPair> pairs = new HashMap<>();
    for (String mid : MIDS) {
      PortPair ports = freePorts();
      pairs.put(ports.media(), ports);
      streams.add(
          Map.of(
              "mid",
              mid,
              "host",
              config.host(),
              "port",
              ports.media(),
              "rtcp_port",
              ports.control()));
    }
    JsonNode answer =
        ask(
            "rtp_forward",
            Map.of("publisher_id", publisher.id(), "host", config.host(), "streams", streams));
    List<Forward> forwards = new ArrayList<>();
    for (JsonNode one : answer.path("forwarders")) {
      PortPair ports = pairs.get(one.path("port").asInt(0));
      String type = one.path("type").asString("");
      if (ports != null && type.equals("data")) {
        // The chat of a page; a room is recorded without it.
        stop(publisher.id(), one.path("stream_id").asLong());
      } else if (ports != null) {
        forwards.add(
            new Forward(
                publisher,
                type.equals("video"),
                ports,
                one.path("stream_id").asLong(),
                one.path("local_rtcp_port").asInt(0)));
      }
    }
    return forwards;
  }

  /** Ends a forwarding; one that is not there any more is as good. */
  void stop(String publisherId, long streamId) throws IOException, InterruptedException {
    try {
      JsonNode _ =
          ask("stop_rtp_forward", Map.of("publisher_id", publisherId, "stream_id", streamId));
    } catch (ForwardingRefused gone) {
      if (gone.code != NO_SUCH_ROOM && gone.code != NO_SUCH_FEED) {
        throw new JanusAway("Janus does not stop to forward: " + gone.getMessage(), gone);
      }
    }
  }

  /**
   * Ends forwardings as far as Janus answers; the others last until their publisher leaves. No
   * failure is passed on, since what was recorded is to be joined without Janus too.
   */
  void stopAll(List<NotedForward> forwards) throws InterruptedException {
    int failures = 0;
    for (NotedForward forward : forwards) {
      try {
        stop(forward.publisher(), forward.stream());
        failures = 0;
      } catch (IOException away) {
        failures++;
        log.warn("Stream {} may still be forwarded: {}", forward.stream(), away.toString());
        if (failures == FAILED_STOPS_MAX) {
          return;
        }
      }
    }
  }

  /** Asks a publisher for a whole picture: a PLI (RFC 4585) to the port that Janus named. */
  void requestKeyframe(Forward forward) throws IOException {
    if (!forward.video() || forward.keyframes() == 0) {
      return;
    }
    byte[] pli =
        ByteBuffer.allocate(12)
            .putInt(0x81CE0002)
            .putInt(1)
            .putInt(forward.ports().media())
            .array();
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(
          new DatagramPacket(
              pli,
              pli.length,
              InetAddress.getByName(config.adminUrl().getHost()),
              forward.keyframes()));
    }
  }

  private JsonNode ask(String request, Map<String, ?> fields)
      throws IOException, InterruptedException, ForwardingRefused {
    ObjectNode body = Json.mapper().createObjectNode();
    fields.forEach((name, value) -> body.set(name, Json.mapper().valueToTree(value)));
    body.put("request", request).put("room", room).put("secret", secret);
    body.put("admin_key", config.adminKey());
    HttpRequest message =
        HttpRequest.newBuilder(config.adminUrl())
            .header("Content-Type", "application/json")
            .timeout(TIMEOUT)
            .POST(
                BodyPublishers.ofByteArray(
                    Json.bytes(
                        Map.of(
                            "janus",
                            "message_plugin",
                            "transaction",
                            UUID.randomUUID().toString(),
                            "admin_secret",
                            config.adminSecret(),
                            "plugin",
                            PLUGIN,
                            "request",
                            body))))
            .build();
    JsonNode json;
    try {
      HttpResponse<String> answer =
          WholeAnswer.of(client, message, BodyHandlers.ofString(), TIMEOUT);
      if (answer.statusCode() >= SERVER_ERROR) {
        throw new IOException("status " + answer.statusCode());
      }
      json = Json.mapper().readTree(answer.body());
    } catch (IOException away) {
      throw new JanusAway(away.toString(), away);
    } catch (JacksonException unreadable) {
      throw new JanusAway("what answers is no Janus", unreadable);
    }
    if (!json.path("janus").asString("").equals("success")) {
      throw new ForwardingRefused(0, "the admin API refused us");
    }
    JsonNode response = json.path("response");
    if (response.has("error_code")) {
      throw new ForwardingRefused(
          response.path("error_code").asInt(), response.path("error").asString(""));
    }
    return response;
  }

  /** Two neighbouring ports that are free at this moment. */
  static PortPair freePorts() throws IOException {
    for (int tries = 0; tries < 100; tries++) {
      try (DatagramSocket one = new DatagramSocket(0)) {
        int even = one.getLocalPort() & ~1;
        try (DatagramSocket other =
            new DatagramSocket(even == one.getLocalPort() ? even + 1 : even)) {
          return new PortPair(Math.min(other.getLocalPort(), one.getLocalPort()));
        } catch (IOException taken) {
          // The neighbour is in use.
        }
      }
    }
    throw new IOException("no two neighbouring ports are free");
  }

  @Override
  public void close() {
    client.close();
  }
}
