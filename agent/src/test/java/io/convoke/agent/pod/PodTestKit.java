package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.DispatchMaintainer;
import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskQueue;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import tools.jackson.databind.node.ObjectNode;

/** The surroundings of a pod: stores, a maintainer, and pod processes. */
public final class PodTestKit implements AutoCloseable {
  public static final Duration LONG = Duration.ofSeconds(60);

  /** The default settings with a shorter lease. */
  static final DispatchConfig TERMS =
      DispatchConfig.of(Duration.ofSeconds(60), Duration.ofSeconds(9), 3, Duration.ofSeconds(10));

  private static final byte[] KEY = SecretBox.newKey();

  private final Path folder;
  private final String mainClass;
  private final Map<String, String> environment = new HashMap<>();
  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()), 4, "pods", List.of("public"));
  private final PostgresTaskStore ledger = new PostgresTaskStore(database, (tx, moves) -> {});
  private final DispatchConfig config;
  private final TaskQueue taskQueue;
  private final DispatchService dispatchService;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final List<JavaProcess> pods = new ArrayList<>();
  private final List<TaskTransition> seen = new ArrayList<>();
  private final DispatchMaintainer dispatchMaintainer;
  private final SignalObservation<List<TaskTransition>> carried;

  /** Prepares all but pods, whose logs and pictures go to the folder. */
  public PodTestKit(Path folder, String mainClass) throws IOException {
    this(folder, mainClass, TERMS);
  }

  PodTestKit(Path folder, String mainClass, DispatchConfig config) throws IOException {
    this.config = config;
    this.taskQueue = new TaskQueue(redis, config);
    this.dispatchService = new DispatchService(taskQueue, ledger);
    this.folder = folder;
    this.mainClass = mainClass;
    environment.put("CONVOKE_REDIS_URL", server.url());
    environment.put("CONVOKE_SECRET_KEY", Base64.getEncoder().encodeToString(KEY));
    environment.put("CONVOKE_DISPATCH_LEASE", config.lease().toSeconds() + "s");
    config
        .deadAfter()
        .ifPresent(
            silence -> environment.put("CONVOKE_DISPATCH_DEAD_AFTER", silence.toSeconds() + "s"));
    environment.put("CONVOKE_DISPATCH_MAX_ATTEMPTS", "3");
    environment.put("CONVOKE_DISPATCH_RETRY_BACKOFF", "100ms");
    environment.put("CONVOKE_BLOB_STORE", "file:" + folder.resolve("store"));
    String ddl = ddl();
    database.run(
        tx -> {
          int _ = tx.sql(ddl).update();
        });
    this.dispatchMaintainer = new DispatchMaintainer(taskQueue, ledger, config);
    this.carried = dispatchMaintainer.relayed().observe();
  }

  /** A setting for pods that are started from now on; empty is none. */
  public PodTestKit with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Starts a pod of the region eu and waits until it is ready. */
  public JavaProcess pod(String... arguments) {
    JavaProcess pod = launch(arguments);
    assertThat(pod.url()).isNotNull();
    return pod;
  }

  /** Starts one and does not wait. */
  public JavaProcess launch(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--region", "eu"));
    all.addAll(List.of(arguments));
    String name = "pod-" + pods.size();
    JavaProgramSpec program =
        new JavaProgramSpec(
            name,
            mainClass,
            all,
            environment,
            List.of("-XX:TieredStopAtLevel=1"),
            folder.resolve(name + ".log"));
    JavaProcess pod = JavaProcess.launch(program, orphanReaper);
    boolean _ = pods.add(pod);
    return pod;
  }

  /** What all pods have logged and printed. */
  public String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < pods.size(); i++) {
      Path log = folder.resolve("pod-" + i + ".log");
      if (Files.exists(log)) {
        all.append(Files.readString(log));
      }
    }
    return all.toString();
  }

  /** Submits a task as a server does, with its token sealed. */
  public void submit(String id, String type, String channel, String payload) {
    ObjectNode sealed =
        new AccessTokenSealer(SecretBox.of(KEY)).seal((ObjectNode) Json.read(payload));
    NewTask task =
        new NewTask(
            id,
            "req-" + id,
            type,
            "start",
            channel,
            Optional.of("eu"),
            sealed,
            false,
            Optional.empty());
    assertThat(dispatchService.submit(task)).isInstanceOf(EnqueueResult.Created.class);
  }

  void submit(String id) {
    submit(id, "job", "room", "{}");
  }

  public void stop(String id) {
    assertThat(dispatchService.stop(id).task()).isPresent();
  }

  public Task find(String id) {
    return dispatchService.find(id).orElseThrow();
  }

  /** Waits for the length of a lease, by the ticks of the maintainer. */
  void outliveALease() {
    watch(config.lease());
  }

  /** Waits for so long, by the ticks of the maintainer. */
  void watch(Duration span) {
    long end = System.nanoTime() + span.toNanos();
    try (SignalObservation<Integer> ticked = dispatchMaintainer.ticked().observe()) {
      while (System.nanoTime() - end < 0) {
        int _ = ticked.await(LONG);
      }
    }
  }

  /** Empties Redis. */
  void flush() {
    server.flush();
  }

  /** Waits until no pod takes tasks. */
  void awaitNoTaker() {
    while (taskQueue.stats().regions().stream().anyMatch(regionStats -> regionStats.pods() > 0)) {
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  /** Waits for the transition of a task to this state and returns it; each is returned once. */
  public TaskTransition await(String id, TaskState state) {
    return await(
        taskTransition -> taskTransition.id().equals(id) && taskTransition.state() == state);
  }

  TaskTransition await(String id, TaskState state, int attempt) {
    return await(
        taskTransition ->
            taskTransition.id().equals(id)
                && taskTransition.state() == state
                && taskTransition.attempt() == attempt);
  }

  private TaskTransition await(Predicate<TaskTransition> wanted) {
    while (true) {
      for (Iterator<TaskTransition> moves = seen.iterator(); moves.hasNext(); ) {
        TaskTransition taskTransition = moves.next();
        if (wanted.test(taskTransition)) {
          moves.remove();
          return taskTransition;
        }
      }
      seen.addAll(carried.await(LONG));
    }
  }

  @Override
  public void close() {
    pods.forEach(
        pod -> {
          if (pod.alive()) {
            pod.pause(false);
            pod.kill();
          }
        });
    orphanReaper.close();
    carried.close();
    dispatchMaintainer.close();
    dispatchService.close();
    redis.close();
    server.close();
    database.close();
  }

  private static String ddl() throws IOException {
    try (InputStream file = PostgresTaskStore.class.getResourceAsStream("tasks.sql")) {
      if (file == null) {
        throw new AssertionError("no tasks.sql");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
