package io.convoke.chaos.rooms;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.rooms.RoomHistory.EgressStory;
import io.convoke.chaos.rooms.RoomHistory.PlayedFile;
import io.convoke.chaos.rooms.RoomHistory.ReportedGap;
import io.convoke.chaos.rooms.RoomHistory.ShownSession;
import io.convoke.chaos.rooms.RoomHistory.StoredSegment;
import io.convoke.chaos.rooms.RoomHistory.TranscriptLine;
import io.convoke.chaos.rooms.RoomPlan.PlannedAbsence;
import io.convoke.chaos.rooms.RoomPlan.RoomFailure;
import io.convoke.chaos.rooms.RoomPlan.RoomTarget;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One run: people speak while programs fail; then they are all there and speak once more, leave,
 * and the run waits for the recordings and compares.
 */
final class RoomRun implements AutoCloseable {
  private static final String ROOM = "stage";
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration SOON = Duration.ofSeconds(90);

  /** A recording begins 90 s after its last byte, and is transcribed on a slow machine. */
  private static final Duration RECORDED_MAX = Duration.ofMinutes(6);

  private static final List<Rule<RoomHistory>> RULES =
      List.of(
          new RoomPresenceRule(),
          new EgressGapRule(),
          new SpokenLineRule(),
          new SpeakerFileRule(),
          new ProcessEndRule(),
          Rule.shared(new AvailabilityRule(), RoomHistory::calls));

  private final RoomPlan plan;
  private final Path folder;
  private final RoomMachine machine;
  private final RoomFaults faults;
  private final FaultTimeline timeline = new FaultTimeline();
  private final List<TimedReply> replies = new CopyOnWriteArrayList<>();
  private final Set<Long> meetings = new TreeSet<>();
  private final ApiClient user;
  private final String task;
  private final String link;
  private final RoomPeople people;
  private long bot;
  private final Instant botsBegan;
  private Instant stopped = Instant.EPOCH;
  private Instant quiet = Instant.MAX;
  private final Map<Long, String> bots = new TreeMap<>();
  private boolean closed;

  RoomRun(
      RoomPlan plan,
      ChaosEnvironment environment,
      Path folder,
      int servers,
      Consumer<String> output)
      throws Exception {
    this.plan = plan;
    this.folder = folder;
    machine = new RoomMachine(environment, folder, servers, RoomPlan.allSentences());
    user = ApiClient.admin(machine.url(), machine.adminToken()).newUser("olivia@example.com");
    JsonNode room = good(post("/rooms", Map.of("name", ROOM, "record", true)));
    link = room.path("links").path("guest").asString();
    meetings.add(
        good(post("/meetings", Map.of("platform", "janus", "native_meeting_id", ROOM)))
            .path("id")
            .asLong());
    task = good(post("/tasks", egress(room.path("egress_token").asString()))).path("id").asString();
    people =
        new RoomPeople(
            folder,
            machine.url(),
            link,
            environment.guardian(),
            List.copyOf(plan.everyone().keySet()));
    faults =
        new RoomFaults(
            plan,
            machine,
            people,
            new FaultInjection(environment, machine.servers(), timeline),
            output);
    botsBegan = Instant.now();
    startBot();
  }

  private static Map<String, ?> egress(String secret) {
    return Map.of(
        "request_id", "film",
        "type", "egress",
        "action", "start",
        "channel", ROOM,
        "payload", Map.of("kind", "record", "access_token", secret));
  }

  private ApiReply post(String path, Map<String, ?> body) {
    return timed(path, "", () -> user.post(path, body));
  }

  private ApiReply get(String path) {
    return timed(path, "", () -> user.get(path));
  }

  private ApiReply timed(String what, String target, Supplier<ApiReply> call) {
    Instant sent = Instant.now();
    ApiReply reply = call.get();
    replies.add(new TimedReply(what, target, reply.status(), sent, Instant.now()));
    return reply;
  }

  private static JsonNode good(ApiReply reply) {
    if (!reply.ok()) {
      throw new IllegalStateException("answered " + reply.status() + " " + reply.body());
    }
    return reply.body();
  }

  private void startBot() {
    ApiReply started =
        post(
            "/bots/start",
            Map.of(
                "platform",
                "janus",
                "native_meeting_id",
                ROOM,
                "bot_name",
                "Noter",
                "meeting_url",
                link));
    if (started.ok()) {
      bot = started.body().path("id").asLong();
      var _ = bots.put(bot, "");
      meetings.add(bot);
    }
  }

  RunReport carryOut() throws Exception {
    List<String> names = List.copyOf(plan.sentences().keySet());
    names.subList(0, names.size() - 1).forEach(this::join);
    if (!RoomFaults.await(
        SOON, () -> botStatus().equals("active") && machine.encoder().isPresent())) {
      throw new IllegalStateException("bot " + botStatus() + ", task " + taskState());
    }
    // Once the pod records the others, so that its first part has not all voices.
    join(names.getLast());
    RunClock clock = new RunClock();
    CompletableFuture<?> breaking =
        CompletableFuture.runAsync(() -> faults.inject(clock), Thread.ofPlatform()::start);
    talk(breaking);
    var _ = breaking.join();
    long quiet = System.nanoTime();
    List<String> absent = calm();
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    // With a pause between those of one person, which makes two lines of them.
    boolean _ = people.say(first(), plan.of(first()).getFirst());
    boolean _ = people.say(RoomPlan.NAMESAKE, plan.of(RoomPlan.NAMESAKE).getFirst());
    boolean _ = people.say(first(), plan.of(first()).getLast());
    stopped = Instant.now();
    plan.everyone().keySet().forEach(people::leave);
    ApiReply _ = post("/tasks/" + task + "/stop", Map.of());
    ApiReply _ = post("/bots/stop", Map.of("meeting_id", bot));
    boolean _ = RoomFaults.await(SOON, () -> List.of("completed", "failed").contains(botStatus()));
    boolean _ = RoomFaults.await(SOON, () -> List.of("SUCCESS", "FAILED").contains(taskState()));
    boolean _ = RoomFaults.await(RECORDED_MAX, this::recorded);
    // The servers are asked before they end; what is left of them is seen after that.
    List<String> left = new ArrayList<>();
    RoomHistory history = history(absent, left);
    close();
    left.addAll(left());
    Files.writeString(
        folder.resolve("history.txt"),
        history.toString().replaceAll("\\], |(?=TimedReply)", "]\n"));
    Duration whole = Duration.between(history.egress().first(), history.egress().last());
    Duration missing =
        history.egress().gaps().stream()
            .map(it -> Duration.between(it.from(), it.to()))
            .reduce(Duration.ZERO, Duration::plus);
    return new RunReport(
        plan.seed(),
        replies.size() + people.said(),
        absent.isEmpty() ? Optional.of(converged) : Optional.empty(),
        Rule.check(RULES, history),
        List.of(history.visits().size() + " visits", people.said() + " sentences"),
        List.of(
            "%d lines of %d bots, %d of recordings, %d gaps for %d breaks: %.1f of %d s"
                .formatted(
                    history.heard().size(),
                    bots.size(),
                    history.recorded().size(),
                    history.egress().gaps().size(),
                    faults.breaks().size(),
                    missing.toMillis() / 1000.0,
                    whole.toSeconds())),
        folder,
        Coverage.NONE
            .with("injected faults", faults.injected(), plan.faults().size())
            .with("visits", history.visits().size(), plan.sentences().size())
            .with("sentences", people.said(), plan.sentences().size())
            .with("lines that a bot heard", history.heard().size(), 1)
            .withShare(
                "share of sentences in the transcript of a recording",
                history.transcript().stream().filter(TranscriptLine::ofRecording).count(),
                people.said(),
                0.5)
            .with("recordings", history.recordings().size(), 1)
            .with("files of the pod", history.files().size(), 2)
            .withShare(
                "share of the time that the pod recorded",
                whole.minus(missing).toMillis(),
                whole.toMillis(),
                0.2));
  }

  private void join(String name) {
    if (!people.join(name)) {
      throw new IllegalStateException(name + " cannot join: " + people.trouble());
    }
  }

  private String first() {
    return plan.sentences().keySet().iterator().next();
  }

  /** Lets them speak in turn until the phase and all faults are over. */
  private void talk(CompletableFuture<?> breaking) {
    List<String> names = List.copyOf(plan.sentences().keySet());
    Instant begun = Instant.now();
    for (int turn = 0; ; turn++) {
      Duration now = Duration.between(begun, Instant.now());
      if (now.compareTo(plan.phase()) > 0 && breaking.isDone()) {
        return;
      }
      for (String name : names) {
        boolean away = plan.absences().stream().anyMatch(it -> away(it, name, now));
        if (away == people.isInside(name)) {
          if (away) {
            people.leave(name);
          } else {
            boolean _ = people.join(name);
          }
        }
      }
      String name = names.get(turn % names.size());
      if (people.isInside(name)) {
        List<String> its = plan.of(name);
        boolean _ = people.say(name, its.get(turn / names.size() % its.size()));
      }
      look(turn);
      RoomFaults.pause(TICK);
    }
  }

  private static boolean away(PlannedAbsence absence, String name, Duration now) {
    return absence.name().equals(name)
        && now.compareTo(absence.from()) > 0
        && now.compareTo(absence.to()) < 0;
  }

  /** Reads from one server, and sends another bot if the last one has ended. */
  private void look(int turn) {
    int server = turn % machine.servers().number();
    ApiReply _ =
        timed(
            "participants",
            FaultTimeline.server(server),
            () ->
                user.at(machine.servers().urls().get(server))
                    .get("/meetings/" + meetings.iterator().next() + "/participants"));
    if (List.of("completed", "failed").contains(botStatus())) {
      startBot();
    }
  }

  private String botStatus() {
    return get("/meetings/" + bot).body().path("status").asString("");
  }

  private String taskState() {
    return get("/tasks/" + task).body().path("state").asString("");
  }

  /**
   * All come back, and one of the name of another comes too; they speak and are shown. Returns what
   * is not as it should be.
   */
  private List<String> calm() {
    Set<String> names = plan.everyone().keySet();
    List<String> all = names.stream().map(RoomPlan::shown).sorted().toList();
    boolean _ =
        RoomFaults.await(
            SOON,
            () -> {
              names.stream().filter(it -> !people.isInside(it)).forEach(people::join);
              look(0);
              return names.stream().allMatch(people::isInside) && botStatus().equals("active");
            });
    quiet = Instant.now();
    names.forEach(it -> people.say(it, plan.of(it).getLast()));
    return RoomFaults.await(RoomHistory.BOUND, () -> shown().equals(all))
        ? List.of()
        : List.of("in the room are " + all + ", shown are " + shown());
  }

  private List<String> shown() {
    List<String> all = new ArrayList<>();
    for (JsonNode one :
        get("/meetings/" + meetings.iterator().next() + "/participants?active=true")
            .body()
            .path("items")) {
      all.add(one.path("user_name").asString(""));
    }
    // A bot that records says so in its name.
    return all.stream().filter(it -> !it.startsWith("Noter")).sorted().toList();
  }

  /**
   * Those of Janus, and that of the bot which was there in the end. What others left is processed a
   * quarter of an hour later.
   */
  private List<JsonNode> recordings() {
    return meetings.stream()
        .flatMap(
            meeting ->
                get("/recordings?meeting_id=" + meeting)
                    .body()
                    .path("items")
                    .valueStream()
                    .filter(it -> meeting == bot || !id(it).startsWith("bot-")))
        .toList();
  }

  private static String id(JsonNode recording) {
    return recording.path("id").asString(recording.path("recording_id").asString(""));
  }

  private boolean recorded() {
    List<JsonNode> all = recordings();
    return !all.isEmpty()
        && all.stream()
            .allMatch(
                it -> List.of("done", "empty", "failed").contains(it.path("status").asString("")));
  }

  /** What is left a moment after all was stopped; it is ended. */
  private List<String> left() {
    boolean _ = RoomFaults.await(Duration.ofSeconds(20), () -> machine.ours().isEmpty());
    List<ProcessHandle> left = machine.ours();
    List<String> told =
        left.stream().map(it -> it.pid() + " " + RoomMachine.commandLine(it.pid())).toList();
    left.forEach(ProcessHandle::destroyForcibly);
    return told;
  }

  private RoomHistory history(List<String> absent, List<String> left) throws Exception {
    List<ShownSession> sessions = new ArrayList<>();
    List<TranscriptLine> lines = new ArrayList<>();
    for (JsonNode one :
        get("/meetings/" + meetings.iterator().next() + "/participants").body().path("items")) {
      sessions.add(
          new ShownSession(
              one.path("session_id").asString(""),
              one.path("user_name").asString(""),
              Instant.parse(one.path("joined_at").asString()),
              Optional.of(one.path("left_at").asString(""))
                  .filter(it -> !it.isEmpty())
                  .map(Instant::parse)));
    }
    for (long meeting : meetings) {
      for (JsonNode one : get("/transcripts/" + meeting).body().path("segments")) {
        lines.add(
            new TranscriptLine(
                one.path("session_uid").asString(""),
                one.path("speaker").asString(""),
                one.path("text").asString(""),
                one.path("start").asDouble()));
      }
    }
    Map<String, String> states = new TreeMap<>();
    for (JsonNode one : recordings()) {
      states.put(id(one), one.path("status").asString(""));
    }
    bots.replaceAll((id, _) -> get("/meetings/" + id).body().path("status").asString(""));
    List<PlayedFile> files = new ArrayList<>();
    return new RoomHistory(
        plan.everyone(),
        people.visits(),
        people.attempts(),
        sessions,
        absent,
        machine.heardLive(),
        quiet,
        machine.heardRecorded(),
        lines,
        Duration.between(botsBegan, stopped),
        faults.killedBots(),
        bots,
        egress(files),
        files,
        states,
        left,
        new AvailabilityRule.Calls(
            List.copyOf(replies), timeline.windows(), Set.of(FaultTimeline.POSTGRES), false));
  }

  private EgressStory egress(List<PlayedFile> files) throws Exception {
    Path document = machine.stored(task, "result.json");
    String state = taskState();
    if (!Files.exists(document)) {
      return new EgressStory(
          state, List.of(), faults.breaks(), List.of(), List.of(), stopped, stopped);
    }
    JsonNode result = JsonMapper.shared().readTree(Files.readAllBytes(document));
    List<ReportedGap> gaps = new ArrayList<>();
    for (JsonNode gap : result.path("gaps")) {
      gaps.add(
          new ReportedGap(
              Instant.parse(gap.path("from").asString()),
              Instant.parse(gap.path("to").asString()),
              gap.path("reason").asString("")));
    }
    for (JsonNode file : result.path("files")) {
      String key = file.path("key").asString();
      String name = key.substring(key.lastIndexOf('/') + 1);
      Path stored = machine.stored(task, name);
      Optional<String> speaker = Optional.ofNullable(file.path("speaker").stringValue(null));
      files.add(
          new PlayedFile(
              name,
              speaker,
              file.path("seconds").asDouble(),
              played(stored),
              speaker.isPresent() ? machine.heardIn(stored) : List.of()));
    }
    List<StoredSegment> segments = new ArrayList<>();
    Instant last = Instant.EPOCH;
    try (Stream<Path> all = Files.walk(machine.stored(task, ""))) {
      for (Path one :
          all.filter(it -> it.getFileName().toString().startsWith("segment-")).toList()) {
        String[] fields = one.getFileName().toString().split("[-.]", -1);
        Instant began = Instant.ofEpochMilli(Long.parseLong(fields[2]));
        Instant ended = began.plusMillis(Long.parseLong(fields[3]));
        segments.add(new StoredSegment(String.valueOf(one.getParent()), began, ended));
        last = ended.isAfter(last) ? ended : last;
      }
    }
    for (ReportedGap gap : gaps) {
      last = gap.to().isAfter(last) ? gap.to() : last;
    }
    return new EgressStory(state, gaps, faults.breaks(), pauses(), segments, last, stopped);
  }

  /** When people came or went, and when Janus, a browser or the network failed. */
  private List<FaultWindow> pauses() {
    List<FaultWindow> all = new ArrayList<>();
    people
        .visits()
        .forEach(
            visit -> {
              all.add(new FaultWindow("join", "", visit.joinFrom(), visit.joinTo()));
              all.add(new FaultWindow("leave", "", visit.leaveFrom(), visit.leaveTo()));
            });
    timeline.windows().stream()
        .filter(
            it ->
                it.target().equals(RoomTarget.JANUS.name())
                    || it.target().equals(RoomTarget.MEDIA.name())
                    || it.what().equals(RoomTarget.POD + " " + RoomFailure.HANGS))
        .map(
            it ->
                new FaultWindow(
                    it.what(), it.target(), it.from(), it.to().minus(RoomHistory.BOUND)))
        .forEach(all::add);
    return all;
  }

  private static Optional<Double> played(Path file) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "ffprobe",
                "-v",
                "error",
                "-show_entries",
                "format=duration",
                "-of",
                "default=noprint_wrappers=1:nokey=1",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return process.waitFor() == 0 && said.matches("[0-9.]+")
        ? Optional.of(Double.parseDouble(said))
        : Optional.empty();
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      people.close();
      machine.close();
    }
  }
}
