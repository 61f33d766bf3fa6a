package io.convoke.chaos.rooms;

import io.convoke.chaos.BlackholeProxy;
import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.MissingPrerequisite;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.mutants.MutantList;
import io.convoke.fakes.janus.ExampleBot;
import io.convoke.fakes.janus.InstalledJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.fakes.speech.SpeakingBrowser;
import io.convoke.fakes.speech.SpokenVoice;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import io.convoke.simulator.audio.MediaEncoder;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The programs of a run: a Janus, servers behind a balancer, two pods, the commands of the bot and
 * of transcribers that log what they hear.
 */
final class RoomMachine implements AutoCloseable {
  /** Spoken before each file: the transcriber can miss the first sentence that it is given. */
  private static final String PRIMER = "Good morning everyone.";

  /**
   * Puts the primer before a file and shortens silences to a second, which still ends a line: the
   * transcriber is deaf to words behind a long one.
   */
  private static final String PRIMED =
      "[0]aresample=16000,apad=pad_dur=1[before];"
          + "[1]aresample=16000,aformat=channel_layouts=mono"
          + ",silenceremove=start_periods=1:start_silence=0.5:start_threshold=-40dB"
          + ":stop_periods=-1:stop_duration=1:stop_silence=1:stop_threshold=-40dB[after];"
          + "[before][after]concat=n=2:v=0:a=1";

  private final ChaosEnvironment environment;
  private final Path folder;
  private final ServerCluster servers;
  private final BlackholeProxy balancer;
  private final InstalledJanus janus;
  private final PocketsphinxTranscriber listener;
  private final String adminToken = ServerCluster.randomKey();
  private final List<JavaProcess> pods = new ArrayList<>();

  RoomMachine(ChaosEnvironment environment, Path folder, int number, Collection<String> sentences)
      throws IOException {
    this.environment = environment;
    this.folder = folder;
    require();
    Path recordings = Files.createDirectories(folder.resolve("recorded"));
    Files.createDirectories(folder.resolve("tmp"));
    servers = new ServerCluster(environment, folder, number);
    balancer = new BlackholeProxy(servers.urls().stream().map(URI::getPort).toList());
    janus = new InstalledJanus(folder.resolve("janus"), url().resolve("/webhooks/janus"));
    List<String> known = new ArrayList<>(sentences);
    known.add(PRIMER);
    listener = PocketsphinxTranscriber.listeningFor(known, folder);
    Path _ =
        Files.write(
            folder.resolve("primer.wav"),
            Base64.getDecoder().decode(SpokenVoice.of(0).says(PRIMER)));
    Map<String, String> settings = new HashMap<>(janusSettings());
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_RATE_LIMIT", "10000");
    settings.put("CONVOKE_PUBLIC_URL", url().toString());
    settings.put("CONVOKE_MEETING_HOSTS", url().getAuthority());
    settings.put("CONVOKE_JANUS_EVENT_SECRET", JanusServer.EVENT_PASSWORD);
    settings.put("CONVOKE_JANUS_URL", janus.clientUrl().toString());
    settings.put("CONVOKE_JANUS_API_SECRET", InstalledJanus.API_SECRET);
    settings.put("CONVOKE_JANUS_RECORDINGS", recordings.toString());
    settings.put("CONVOKE_PRESENCE_RECONCILE_INTERVAL", RoomHistory.RECONCILE.toSeconds() + "s");
    settings.put("CONVOKE_TRANSCRIBER", "command:" + recorder() + " {audio}");
    settings.put("CONVOKE_BOT_CALLBACK_URL", url().toString());
    settings.put("CONVOKE_BOT_RECORDING", "true");
    settings.put(
        "CONVOKE_BOT_COMMAND",
        ExampleBot.compiled(MutantList.home(), folder.resolve("bot")).command(live().toString()));
    servers.start(
        "api,bots,durable,presence,recordings,dispatch,sync",
        settings,
        Optional.of(folder.resolve("data")));
    for (int i = 0; i < 2; i++) {
      pods.add(pod(i));
    }
  }

  private static void require() throws MissingPrerequisite {
    InstalledJanus.obstacle()
        .or(() -> missing(PocketsphinxTranscriber.install(), "espeak-ng or pocketsphinx"))
        .or(() -> missing(MediaEncoder.install(), "ffmpeg"))
        .or(() -> missing(SpeakingBrowser.install(), "chromium"))
        .or(ExampleBot::obstacle)
        .ifPresent(
            why -> {
              throw new MissingPrerequisite("rooms need real media: " + why);
            });
  }

  private static Optional<String> missing(boolean here, String what) {
    return here ? Optional.empty() : Optional.of(what + " is not installed");
  }

  private Map<String, String> janusSettings() {
    return Map.of(
        "CONVOKE_DISPATCH_LEASE",
        "9s",
        "CONVOKE_DISPATCH_DEAD_AFTER",
        "8s",
        "CONVOKE_BLOB_STORE",
        "file:" + folder.resolve("blobs"),
        "CONVOKE_JANUS_ADMIN_URL",
        janus.adminUrl().toString(),
        "CONVOKE_JANUS_ADMIN_SECRET",
        JanusServer.ADMIN_SECRET,
        "CONVOKE_JANUS_ADMIN_KEY",
        JanusServer.ADMIN_KEY);
  }

  private JavaProcess pod(int number) {
    Map<String, String> settings = new HashMap<>(servers.stores());
    settings.putAll(janusSettings());
    return JavaProcess.start(
        new JavaProgramSpec(
            "pod-" + number,
            "io.convoke.agent.ReferencePod",
            List.of("--region", "eu-west-1", "--slots", "4"),
            settings,
            List.of("-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder.resolve("tmp")),
            folder.resolve("pod-" + number + ".log")),
        environment.guardian());
  }

  /** A transcriber of one speaker, which logs time, its bot and each line before it tells it. */
  private Path live() throws IOException {
    return script(
        "live.sh",
        """
        %s |
          while IFS= read -r line; do
            [ -n "$line" ] || continue
            echo "$(date +%%s%%3N) $PPID $line" >>%s
            echo "$line"
          done
        """
            .formatted(listener.live(), folder.resolve("live.log")));
  }

  /** The transcriber of recordings, which logs each line. */
  private Path recorder() throws IOException {
    String command = listener.setting().replace("command:", "").replace("{audio}", "\"$1\"");
    return script("recorder.sh", command + " | tee -a " + folder.resolve("recorder.log") + "\n");
  }

  private Path script(String name, String text) throws IOException {
    Path script = folder.resolve(name);
    Files.writeString(script, "#!/bin/sh\n" + text);
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** The address of the balancer. */
  URI url() {
    return URI.create("http://127.0.0.1:" + balancer.port());
  }

  String adminToken() {
    return adminToken;
  }

  ServerCluster servers() {
    return servers;
  }

  InstalledJanus janus() {
    return janus;
  }

  /** A file of the task in the blob store. */
  Path stored(String task, String name) {
    return folder.resolve("blobs/blobs/egress").resolve(task).resolve(name);
  }

  /** Programs of this run whose command line has this word. */
  List<ProcessHandle> programs(String word) {
    return ours().stream().filter(it -> commandLine(it.pid()).contains(word)).toList();
  }

  /** The ffmpeg that records the room now, if one does. */
  Optional<ProcessHandle> encoder() {
    return programs("in.sdp").stream()
        .filter(it -> it.info().command().orElse("").endsWith("ffmpeg"))
        .findFirst();
  }

  /** The pod that records the room; the first one if none does. */
  int recordingPod() {
    Optional<ProcessHandle> parent = encoder().flatMap(ProcessHandle::parent);
    Optional<Long> pod = parent.flatMap(ProcessHandle::parent).map(ProcessHandle::pid);
    return pod.isPresent() && pod.get() == pods.getLast().pid() ? 1 : 0;
  }

  JavaProcess podAt(int number) {
    return pods.get(number);
  }

  void restartPod(int number) {
    pods.set(number, pod(number));
  }

  /** Processes of this machine that have to do with this run's folder, but this one. */
  List<ProcessHandle> ours() {
    return ProcessHandle.allProcesses()
        .filter(it -> it.pid() != ProcessHandle.current().pid())
        .filter(
            it ->
                commandLine(it.pid()).contains(folder.toString())
                    || workingFolder(it.pid()).startsWith(folder.toString()))
        .toList();
  }

  /** The words of a process; empty if it has ended. */
  static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cmdline")).replace('\0', ' ');
    } catch (IOException ended) {
      return "";
    }
  }

  private static String workingFolder(long pid) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/" + pid + "/cwd")).toString();
    } catch (IOException ended) {
      return "";
    }
  }

  /** A line that a transcriber returned. */
  record TranscribedLine(Instant at, long bot, String text) {}

  /** What the transcribers of bots returned. */
  List<TranscribedLine> heardLive() throws IOException {
    return lines("live.log").stream()
        .map(line -> line.split(" ", 3))
        .map(
            it ->
                new TranscribedLine(
                    Instant.ofEpochMilli(Long.parseLong(it[0])),
                    Long.parseLong(it[1]),
                    it[2].strip()))
        .toList();
  }

  /** What the transcriber of recordings returned. */
  List<String> heardRecorded() throws IOException {
    return lines("recorder.log").stream().map(String::strip).filter(it -> !it.isEmpty()).toList();
  }

  /**
   * The lines that the transcriber of bots hears in a file, behind that of the primer; none if it
   * cannot be played.
   */
  List<String> heardIn(Path file) throws IOException {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "ffmpeg -nostdin -v error -i \"$1\" -i \"$2\" -filter_complex '%s' -ar 16000 -ac 1 -f s16le - | %s"
                    .formatted(PRIMED, listener.live()),
                "sh",
                folder.resolve("primer.wav").toString(),
                file.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader told = process.inputReader()) {
      return told.lines().map(String::strip).filter(it -> !it.isEmpty()).toList();
    }
  }

  private List<String> lines(String name) throws IOException {
    Path file = folder.resolve(name);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  @Override
  public void close() throws IOException {
    pods.forEach(JavaProcess::close);
    servers.close();
    janus.close();
    balancer.close();
  }
}
