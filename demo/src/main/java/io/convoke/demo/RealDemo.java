package io.convoke.demo;

import io.convoke.demo.DemoApiClient.DemoApiReply;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.janus.ExampleBot;
import io.convoke.fakes.janus.InstalledJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.speech.SpeakingBrowser;
import io.convoke.fakes.speech.SpokenVoice;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.simulator.process.ChildProcessException;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.ServerProcess;
import io.convoke.simulator.script.ScenarioLoader;
import io.convoke.simulator.script.ScriptedMeeting;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The demo with real sound: a Janus of this machine, a server, a pod, and a room that is recorded,
 * which people join in their browsers on this machine; beside it the script's morning with voices
 * of {@code espeak-ng} ({@link RealMorning}). Transcripts have the names of those who spoke.
 */
final class RealDemo implements AutoCloseable {
  private static final String ROOM = "demo";
  private static final String RECOGNISER = "pocketsphinx_continuous";

  /** What the launcher of processes calls a bot, with its process id. */
  private static final Pattern HANDLE = Pattern.compile("process:[^:]*:(\\d+):.*");

  private static final Duration BOT_END = Duration.ofSeconds(10);

  /** Started processes, the last one first: the order of stopping. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final DemoConfig config;
  private final DemoSecrets secrets;
  private final InstalledJanus janus;
  private final FakeCrm crm;
  private final Optional<String> bot;
  private final ServerProcess server;
  private final String userKey;
  private final String transcriber;
  private final JsonNode room;
  private final long meeting;
  private final Optional<RealMorning> morning;

  private RealDemo(DemoConfig config) throws IOException {
    this.config = config;
    this.secrets = DemoSecrets.with(DemoEnvironment.secretKey(config.data()));
    boolean people = config.people() && peopleCanSpeak();
    Optional<PocketsphinxTranscriber> listener = listener(people);
    this.transcriber = transcriber(config, listener);
    this.bot = bot(config, listener);
    this.crm = keep(new FakeCrm(secrets.crm()));
    LocalStores localStores = keep(LocalStores.open(config.data().resolve("stores")));
    int port = config.port() == 0 ? InstalledPrograms.freePort() : config.port();
    this.janus =
        keep(
            new InstalledJanus(
                config.data().resolve("janus"),
                URI.create("http://127.0.0.1:" + port + "/webhooks/janus")));
    OrphanReaper orphanReaper = keep(new OrphanReaper());
    this.server =
        keep(
            ServerProcess.start(
                orphanReaper,
                List.of("serve", "--data", config.data().toString()),
                settings(localStores, port),
                config.data().resolve("server.log")));
    JavaProcess _ =
        keep(
            JavaProcess.start(
                new JavaProgramSpec(
                    "pod",
                    "io.convoke.agent.ReferencePod",
                    List.of("--region", "local", "--slots", "2"),
                    podSettings(localStores),
                    List.of("-XX:TieredStopAtLevel=1"),
                    config.data().resolve("pod.log")),
                orphanReaper));
    this.userKey =
        DemoEnvironment.key(new DemoApiClient(server.url(), "X-Admin-API-Key", secrets.admin()));
    DemoApiClient user = new DemoApiClient(server.url(), "X-API-Key", userKey);
    this.room = good(user.post("/rooms", Map.of("name", ROOM, "record", true)));
    this.meeting =
        good(user.post("/meetings", Map.of("platform", "janus", "native_meeting_id", ROOM)))
            .path("id")
            .asLong();
    AutoCloseable _ = keep(() -> endBots(user));
    this.morning =
        people
            ? Optional.of(
                keep(
                    new RealMorning(
                        user,
                        URI.create(server.url()),
                        config.data(),
                        orphanReaper,
                        ScenarioLoader.morning())))
            : Optional.empty();
  }

  /** Whether this machine has, or may install, voices and a browser for them. */
  private static boolean peopleCanSpeak() {
    boolean can = SpokenVoice.install() && SpeakingBrowser.install();
    if (!can) {
      System.err.println(
          """
          *** NO PEOPLE: espeak-ng or chromium is not installed, and apt-get could not install it (it
          *** needs root). The room for your own voices is open.
          """);
    }
    return can;
  }

  /** What understands the sentences of the script, if people say them. */
  private Optional<PocketsphinxTranscriber> listener(boolean people) {
    return people && PocketsphinxTranscriber.install()
        ? Optional.of(
            PocketsphinxTranscriber.listeningFor(
                ScenarioLoader.morning().meetings().stream()
                    .flatMap(it -> it.lines().stream())
                    .map(ScriptedMeeting.ScriptedLine::text)
                    .toList(),
                config.data()))
        : Optional.empty();
  }

  /** Bots outlive servers; the demo's end with it. */
  private static void endBots(DemoApiClient user) throws InterruptedException {
    List<ProcessHandle> bots =
        user.get("/bots/active")
            .body()
            .path("items")
            .valueStream()
            .map(bot -> HANDLE.matcher(bot.path("bot_container_id").asString("")))
            .filter(Matcher::matches)
            .flatMap(handle -> ProcessHandle.of(Long.parseLong(handle.group(1))).stream())
            .filter(ProcessHandle::destroy)
            .toList();
    for (ProcessHandle bot : bots) {
      try {
        var _ = bot.onExit().get(BOT_END.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException late) {
        boolean _ = bot.destroyForcibly();
      }
    }
  }

  /**
   * Starts all parts.
   *
   * @throws ChildProcessException if this machine has no Janus, or a part does not start
   */
  static RealDemo start(DemoConfig config) {
    InstalledJanus.obstacle()
        .ifPresent(
            why -> {
              throw new ChildProcessException(why);
            });
    try {
      Path _ = Files.createDirectories(recordings(config));
      return new RealDemo(config);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use the folder " + config.data(), e);
    }
  }

  /** Lets the people of the script meet, if there are any. */
  void begin() {
    morning.ifPresent(
        it -> {
          System.out.println(
              """
              The script's morning, in rooms of this Janus. The transcribers listen for its sentences; with
              --no-people they listen for yours.
              """
                  .indent(2));
          it.begin();
        });
  }

  /** Prints where to go. */
  void show() {
    System.out.println(
        """

        Convoke demo with real sound. Open the links in two browsers of this machine, and talk.

          host         %1$s
          guest        %2$s
          console      %3$s/#key=%4$s
          API key      %4$s      (X-API-Key)
          transcript   GET %3$s/transcripts/%5$d
                       some 90 s after the last one left, by %6$s
          recordings   %7$s
          CRM          %12$s, a fake with HubSpot's API
          logs         %8$s

        The meeting's page, with who speaks, pictures and films:

          %3$s/console/meetings/%5$d#key=%4$s

        Have the pod make something of the room; KIND is record, snapshots or hls. A film can be seen when its task
        has ended: some minute after the last one left, or POST /tasks/ID/stop.

          curl -H 'X-API-Key: %4$s' -H 'Content-Type: application/json' %3$s/tasks -d '{
            "request_id": "KIND-1", "type": "egress", "action": "start", "channel": "%9$s",
            "payload": {"kind": "KIND", "access_token": "%10$s"}}'

        %11$s

        Ctrl-C ends everything.
        """
            .formatted(
                room.path("links").path("host").asString(),
                room.path("links").path("guest").asString(),
                server.url(),
                userKey,
                meeting,
                transcriber,
                recordings(config),
                config.data().resolve("*.log"),
                ROOM,
                room.path("egress_token").asString(),
                botHelp(),
                crm.hubSpotUrl()));
  }

  private String botHelp() {
    return bot.map(
            _ ->
                """
                Send the bot, whose captions are on the page of its own meeting (the id in the answer):

                  curl -H 'X-API-Key: %1$s' -H 'Content-Type: application/json' %2$s/bots/start -d '{
                    "platform": "janus", "native_meeting_id": "%3$s", "bot_name": "Noter",
                    "meeting_url": "%4$s"}'"""
                    .formatted(
                        userKey, server.url(), ROOM, room.path("links").path("guest").asString())
                    .indent(8)
                    .strip())
        .orElseGet(
            () ->
                "There is no bot: %s; name one with --bot."
                    .formatted(ExampleBot.obstacle().orElse("none was given")));
  }

  /** The command of the bot, with a transcriber of what it hears where this machine has one. */
  private static Optional<String> bot(DemoConfig config, Optional<PocketsphinxTranscriber> listener)
      throws IOException {
    if (config.bot().isPresent() || ExampleBot.obstacle().isPresent()) {
      return config.bot();
    }
    String live =
        listener
            .map(PocketsphinxTranscriber::live)
            .orElse(
                DebianPackages.onPath(RECOGNISER).findAny().isPresent()
                    ? "stdbuf -oL " + RECOGNISER + " -logfn /dev/null -infile /dev/stdin"
                    : "");
    Path home = Path.of(System.getProperty("convoke.home", "."));
    return Optional.of(ExampleBot.compiled(home, config.data().resolve("bot")).command(live));
  }

  /** The room as the server answered it. */
  JsonNode room() {
    return room;
  }

  private static String transcriber(DemoConfig config, Optional<PocketsphinxTranscriber> listener) {
    return config
        .transcriber()
        .or(() -> listener.map(PocketsphinxTranscriber::setting))
        .orElseGet(
            () ->
                DebianPackages.onPath(RECOGNISER).findAny().isPresent()
                    ? "command:" + RECOGNISER + " -logfn /dev/null -infile {audio}"
                    : "none");
  }

  private static Path recordings(DemoConfig config) {
    return config.data().resolve("recorded");
  }

  private Map<String, String> settings(LocalStores localStores, int port) {
    Map<String, String> settings = janusSettings();
    settings.put("CONVOKE_PORT", Integer.toString(port));
    settings.put("CONVOKE_DATABASE_URL", localStores.databaseUrl());
    settings.put("CONVOKE_REDIS_URL", localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", secrets.secretKey());
    settings.put("CONVOKE_ADMIN_TOKEN", secrets.admin());
    settings.put("CONVOKE_JANUS_EVENT_SECRET", JanusServer.EVENT_PASSWORD);
    settings.put("CONVOKE_JANUS_URL", janus.clientUrl().toString());
    settings.put("CONVOKE_JANUS_API_SECRET", InstalledJanus.API_SECRET);
    settings.put("CONVOKE_JANUS_RECORDINGS", recordings(config).toString());
    settings.put("CONVOKE_PUBLIC_URL", "http://localhost:" + port);
    settings.put("CONVOKE_TRANSCRIBER", transcriber);
    settings.put("CONVOKE_MEETING_HOSTS", "localhost:" + port);
    settings.put("CONVOKE_CRM_KIND", "hubspot");
    settings.put("CONVOKE_CRM_URL", crm.hubSpotUrl().toString());
    settings.put("CONVOKE_CRM_SECRET", secrets.crm());
    bot.ifPresent(command -> settings.put("CONVOKE_BOT_COMMAND", command));
    settings.put("CONVOKE_LOG_FORMAT", "text");
    return settings;
  }

  private Map<String, String> podSettings(LocalStores localStores) {
    Map<String, String> settings = janusSettings();
    settings.put("CONVOKE_REDIS_URL", localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", secrets.secretKey());
    settings.put("CONVOKE_BLOB_STORE", "file:" + config.data().resolve("blobs"));
    settings.put("CONVOKE_LOG_FORMAT", "text");
    return settings;
  }

  private Map<String, String> janusSettings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_JANUS_ADMIN_URL", janus.adminUrl().toString());
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", JanusServer.ADMIN_SECRET);
    settings.put("CONVOKE_JANUS_ADMIN_KEY", JanusServer.ADMIN_KEY);
    return settings;
  }

  private static JsonNode good(DemoApiReply reply) {
    if (!reply.good()) {
      throw new ChildProcessException("the server refused: " + reply.body());
    }
    return reply.body();
  }

  private <T extends AutoCloseable> T keep(T part) {
    started.push(part);
    return part;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        System.err.println("while stopping: " + e.getMessage());
      }
    }
  }
}
