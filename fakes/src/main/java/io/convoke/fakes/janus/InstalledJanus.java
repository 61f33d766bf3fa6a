package io.convoke.fakes.janus;

import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The Janus that is installed on this machine, such as Debian's package {@code janus}. */
public final class InstalledJanus implements JanusServer {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Path LIBRARIES = Path.of("/usr/lib/x86_64-linux-gnu/janus");
  private static final Path PROGRAM = Path.of("/usr/bin/janus");

  /** The secret of the API for clients. */
  public static final String API_SECRET = "api-secret-of-tests";

  private final HttpClient client = HttpClient.newHttpClient();
  private final int firstMediaPort = ThreadLocalRandom.current().nextInt(20_000, 31_000);
  private final int adminPort = InstalledPrograms.freePort();
  private final int httpPort = InstalledPrograms.freePort();
  private final int socketPort = InstalledPrograms.freePort();
  private final Map<String, JanusHandle> handles = new ConcurrentHashMap<>();
  private final Path folder;
  private final OrphanReaper reaper = new OrphanReaper();
  private GuardedProcess process;

  private record JanusHandle(long session, long handle) {}

  /** Why no Janus can be started here, if so. */
  public static Optional<String> obstacle() {
    return Files.isExecutable(PROGRAM) && Files.isDirectory(LIBRARIES)
        ? Optional.empty()
        : Optional.of(PROGRAM + " is not installed (apt-get install janus)");
  }

  /**
   * Starts it.
   *
   * @param folder for its configuration and log
   * @param events where it posts events
   */
  public InstalledJanus(Path folder, URI events) {
    this.folder = folder;
    try {
      configure(events);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    process = launch();
  }

  @Override
  public URI adminUrl() {
    return URI.create("http://127.0.0.1:" + adminPort + "/admin");
  }

  /** The UDP ports of its media, from first to last; another Janus has others. */
  public String mediaPorts() {
    return firstMediaPort + "-" + (firstMediaPort + 400);
  }

  /** The WebSocket of its API for clients. */
  public URI socketUrl() {
    return URI.create("ws://127.0.0.1:" + socketPort);
  }

  /** The API for clients by HTTP. */
  public URI clientUrl() {
    return URI.create("http://127.0.0.1:" + httpPort + "/janus");
  }

  /** Kills it and starts it again, at the same addresses and without its rooms. */
  public void restart() {
    kill();
    start();
  }

  /** Kills it. */
  public void kill() {
    process.kill();
    handles.clear();
  }

  /** Starts it again, at the same addresses and without its rooms. */
  public void start() {
    process = launch();
  }

  /** Suspends it or resumes it. */
  public void pause(boolean paused) {
    process.pause(paused);
  }

  /** How many streams of a room are forwarded. */
  public int forwarders(String room, String secret) {
    int count = 0;
    for (JsonNode publisher : ask("listforwarders", room, secret).path("publishers")) {
      count += publisher.path("forwarders").size();
    }
    return count;
  }

  /** Destroys a room, as its owner may by the API of the plugin. */
  public void destroy(String room, String secret) {
    JsonNode answer = ask("destroy", room, secret);
    if (!answer.path("videoroom").asString("").equals("destroyed")) {
      throw new IllegalStateException("room " + room + " was not destroyed: " + answer);
    }
  }

  private JsonNode ask(String what, String room, String secret) {
    ObjectNode request = JSON.createObjectNode();
    request
        .put("request", what)
        .put("room", room)
        .put("secret", secret)
        .put("admin_key", ADMIN_KEY);
    ObjectNode message = JSON.createObjectNode().put("plugin", "janus.plugin.videoroom");
    message.set("request", request);
    return administer("", "message_plugin", message).path("response");
  }

  /** How many connections there are of those who hear others. */
  public int subscribers() {
    return paths(InstalledJanus::hears).size();
  }

  /** Ends the media of all who hear others, as a lost network does; returns how many they were. */
  public int hangUpSubscribers() {
    return hangUp(paths(InstalledJanus::hears));
  }

  /** How many connections there are on which one of this name sends. */
  public int publishers(String name) {
    return paths(info -> sends(info, name)).size();
  }

  /** Ends them likewise. */
  public int hangUpPublishers(String name) {
    return hangUp(paths(info -> sends(info, name)));
  }

  private static boolean hears(JsonNode info) {
    return info.path("plugin_specific").path("type").asString("").equals("subscriber");
  }

  private static boolean sends(JsonNode info, String name) {
    JsonNode who = info.path("plugin_specific");
    return info.has("webrtc")
        && who.path("type").asString("").equals("publisher")
        && who.path("display").asString("").equals(name);
  }

  private int hangUp(List<String> paths) {
    for (String path : paths) {
      JsonNode _ = administer(path, "hangup_webrtc", JSON.createObjectNode());
    }
    return paths.size();
  }

  /** Where the handles are of which this is true. */
  private List<String> paths(Predicate<JsonNode> wanted) {
    ObjectNode nothing = JSON.createObjectNode();
    List<String> paths = new ArrayList<>();
    for (JsonNode session : administer("", "list_sessions", nothing).path("sessions")) {
      String at = "/" + session.asLong();
      for (JsonNode handle : administer(at, "list_handles", nothing).path("handles")) {
        String path = at + "/" + handle.asLong();
        if (wanted.test(administer(path, "handle_info", nothing).path("info"))) {
          paths.add(path);
        }
      }
    }
    return paths;
  }

  private JsonNode administer(String path, String janus, ObjectNode fields) {
    ObjectNode message = JSON.createObjectNode();
    message.put("janus", janus).put("transaction", UUID.randomUUID().toString());
    message.put("admin_secret", ADMIN_SECRET).setAll(fields);
    return exchange(
        HttpRequest.newBuilder(URI.create(adminUrl() + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(message))));
  }

  @Override
  public void close() {
    process.stop();
    reaper.close();
  }

  private void configure(URI events) throws IOException {
    write(
        "janus.jcfg",
        """
        general: {
          configs_folder = "%1$s"
          plugins_folder = "%2$s/plugins"
          transports_folder = "%2$s/transports"
          events_folder = "%2$s/events"
          loggers_folder = "%2$s/loggers"
          admin_secret = "%3$s"
          api_secret = "%4$s"
          session_timeout = 15
          server_name = "installed"
          recordings_tmp_ext = "tmp"
        }
        media: { rtp_port_range = "%8$s" }
        nat: { ignore_mdns = true }
        plugins: { disable = "%5$s" }
        transports: { disable = "%6$s" }
        events: {
          broadcast = true
          disable = "%7$s"
        }
        """
            .formatted(
                folder,
                LIBRARIES,
                ADMIN_SECRET,
                API_SECRET,
                others("plugins", "libjanus_videoroom.so"),
                others("transports", "libjanus_http.so", "libjanus_websockets.so"),
                others("events", "libjanus_sampleevh.so"),
                mediaPorts()));
    write(
        "janus.transport.http.jcfg",
        """
        general: {
          json = "compact"
          http = true
          ip = "127.0.0.1"
          port = %d
          https = false
        }
        admin: {
          admin_base_path = "/admin"
          admin_http = true
          admin_ip = "127.0.0.1"
          admin_port = %d
        }
        """
            .formatted(httpPort, adminPort));
    write(
        "janus.transport.websockets.jcfg",
        """
        general: {
          json = "compact"
          ws = true
          ws_ip = "127.0.0.1"
          ws_port = %d
          pingpong_trigger = 5
          pingpong_timeout = 5
        }
        """
            .formatted(socketPort));
    write(
        "janus.plugin.videoroom.jcfg",
        """
        general: {
          admin_key = "%s"
          string_ids = true
          lock_rtp_forward = true
        }
        """
            .formatted(ADMIN_KEY));
    write(
        "janus.eventhandler.sampleevh.jcfg",
        """
        general: {
          enabled = true
          events = "plugins"
          grouping = true
          json = "compact"
          backend = "%s"
          backend_user = "convoke"
          backend_pwd = "%s"
        }
        """
            .formatted(events, EVENT_PASSWORD));
  }

  /** The libraries of a folder except these, as Janus lists them. */
  private static String others(String kind, String... wanted) throws IOException {
    try (Stream<Path> files = Files.list(LIBRARIES.resolve(kind))) {
      return String.join(
          ",",
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".so"))
              .filter(name -> !List.of(wanted).contains(name))
              .sorted()
              .toList());
    }
  }

  private void write(String name, String text) throws IOException {
    Path _ = Files.writeString(Files.createDirectories(folder).resolve(name), text);
  }

  private GuardedProcess launch() {
    return GuardedProcess.start(
        "Janus",
        new ProcessBuilder(
            PROGRAM.toString(),
            "-F",
            folder.toString(),
            "-C",
            folder.resolve("janus.jcfg").toString()),
        new byte[0],
        folder.resolve("janus.log"),
        reaper,
        "TERM",
        () -> accepts(adminPort) && accepts(httpPort) && accepts(socketPort));
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public JanusJoin join(String room, String pin, Optional<String> id, Optional<String> display) {
    JsonNode session = send("", "create", Map.of());
    long sessionId = session.path("data").path("id").asLong();
    JsonNode handle = send("/" + sessionId, "attach", Map.of("plugin", "janus.plugin.videoroom"));
    long handleId = handle.path("data").path("id").asLong();
    ObjectNode join = JSON.createObjectNode();
    join.put("request", "join").put("ptype", "publisher").put("room", room).put("pin", pin);
    id.ifPresent(it -> join.put("id", it));
    display.ifPresent(it -> join.put("display", it));
    JsonNode data = answer(new JanusHandle(sessionId, handleId), join);
    if (data.has("error_code")) {
      return new JanusJoin.JanusJoinRefused(data.path("error_code").asInt());
    }
    String joined = data.path("id").asString();
    handles.put(room + " " + joined, new JanusHandle(sessionId, handleId));
    return new JanusJoin.JanusJoined(joined);
  }

  @Override
  public void leave(String room, String id) {
    JanusHandle handle = handle(room, id);
    JsonNode _ = answer(handle, JSON.createObjectNode().put("request", "leave"));
  }

  @Override
  public void vanish(String room, String id) {
    JsonNode _ = send("/" + handle(room, id).session(), "destroy", Map.of());
  }

  private JanusHandle handle(String room, String id) {
    return Objects.requireNonNull(handles.remove(room + " " + id));
  }

  /** Sends a message to the plugin and waits for its event. */
  private JsonNode answer(JanusHandle handle, ObjectNode body) {
    JsonNode _ =
        send("/" + handle.session() + "/" + handle.handle(), "message", Map.of("body", body));
    URI poll = URI.create(clientUrl() + "/" + handle.session() + "?apisecret=" + API_SECRET);
    while (true) {
      JsonNode event = exchange(HttpRequest.newBuilder(poll).GET());
      if (event.path("janus").asString("").equals("event")) {
        return event.path("plugindata").path("data");
      }
    }
  }

  private JsonNode send(String path, String janus, Map<String, ?> fields) {
    ObjectNode message = JSON.createObjectNode();
    message.put("janus", janus);
    message.put("transaction", UUID.randomUUID().toString());
    message.put("apisecret", API_SECRET);
    fields.forEach((name, value) -> message.set(name, JSON.valueToTree(value)));
    return exchange(
        HttpRequest.newBuilder(URI.create(clientUrl() + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(message))));
  }

  private JsonNode exchange(HttpRequest.Builder request) {
    try {
      return JSON.readTree(
          client
              .send(
                  request.timeout(Duration.ofSeconds(60)).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
