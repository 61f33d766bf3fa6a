package io.convoke.server.launch.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventType;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.api.model.WaitResponse;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DefaultDockerCmdExecFactory;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.core.RemoteApiVersion;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.TlsConfig;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the Docker engine that bots need. A refusal is a {@link DockerException}; an
 * unreachable engine, a lost answer or a failed query is {@link LauncherUnavailable}. It negotiates
 * the engine's newest API version, so old and new engines work.
 */
final class DockerEngine implements AutoCloseable {
  /** Timeout of queries. */
  static final Duration ASK_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Timeout of commands: stops wait for their grace period, pulls and events for the next message.
   */
  private static final Duration ACT_TIMEOUT = Duration.ofMinutes(2);

  /** Statuses from here on are failures of the engine. */
  private static final int FAILURE = 500;

  /** The longest grace period that fits into the timeout of a command. */
  static final Duration GRACE_MAX = Duration.ofSeconds(100);

  /** As many idle connections may have gone stale together. */
  private static final int STALE_MAX = 16;

  private static final Duration PULL_MAX = Duration.ofMinutes(10);

  private final String host;
  private final DockerClient asking;
  private final DockerClient acting;
  private final DefaultDockerCmdExecFactory commands;
  private volatile @Nullable String machine;

  DockerEngine(String host) {
    this(host, System.getenv());
  }

  /**
   * Connects as the variables say.
   *
   * @param environment with {@code DOCKER_TLS_VERIFY} and {@code DOCKER_CERT_PATH}, if TLS is used
   */
  DockerEngine(String host, Map<String, String> environment) {
    this.host = host;
    DefaultDockerClientConfig config = config(host, environment);
    this.asking = DockerClientImpl.getInstance(config, transport(config, ASK_TIMEOUT));
    this.commands =
        new DefaultDockerCmdExecFactory(transport(config, ACT_TIMEOUT), config.getObjectMapper());
    commands.init(config);
    this.acting = DockerClientImpl.getInstance(config, transport(config, ACT_TIMEOUT));
  }

  /** The name of the machine that the engine runs on. */
  String machine() {
    String known = machine;
    if (known == null) {
      known =
          ask(client -> Objects.requireNonNullElse(client.infoCmd().exec().getName(), "unnamed"))
              .replaceAll("[^A-Za-z0-9_.-]", "_");
      machine = known;
    }
    return known;
  }

  /** A container by its name or id. */
  Optional<DockerContainer> find(String nameOrId) {
    try {
      return Optional.of(
          ask(client -> DockerContainer.of(client.inspectContainerCmd(nameOrId).exec())));
    } catch (NotFoundException e) {
      return Optional.empty();
    }
  }

  /** Every container with this label, whatever its phase. */
  List<com.github.dockerjava.api.model.Container> labelled(String label, String value) {
    return ask(
        client ->
            client
                .listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(Map.of(label, value))
                .exec());
  }

  /** Creates a container and answers its id. {@code BOT_CONFIG} travels in the request's body. */
  String create(LaunchSpec spec, DockerConfig terms) {
    return act(
        _ ->
            new DockerCreateCommand(
                    commands.createCreateContainerCmdExec(),
                    terms.image().name(),
                    spec.containerName(),
                    ContainerRequests.create(spec, terms))
                .exec()
                .getId());
  }

  /** Fetches an image; a registry that does not have it is a {@link DockerException}. */
  void pull(String image) {
    StreamedDockerResponse<PullResponseItem> news = new StreamedDockerResponse<>(_ -> {});
    if (!act(client -> client.pullImageCmd(image).exec(news)).awaitEnd(PULL_MAX)) {
      throw new LauncherUnavailable("the image is still being pulled");
    }
  }

  /** Starts a created container; one that runs already is fine. */
  void start(String id) {
    run(client -> client.startContainerCmd(id).exec());
  }

  /** Sends SIGTERM, then SIGKILL after the grace period; returns when the container has ended. */
  void stop(String id, Duration grace) {
    int seconds = Math.toIntExact((grace.toMillis() + 999) / 1000);
    run(client -> client.stopContainerCmd(id).withTimeout(seconds).exec());
  }

  /** Ends with SIGKILL and waits until it has ended. */
  void kill(String id, Duration atMost) {
    try {
      run(client -> client.killContainerCmd(id).exec());
    } catch (ConflictException e) {
      return; // It does not run any more.
    }
    boolean _ =
        act(client ->
                client.waitContainerCmd(id).exec(new StreamedDockerResponse<WaitResponse>(_ -> {})))
            .awaitEnd(atMost);
  }

  /**
   * Removes a container, whatever its phase; one that is not there is fine. Waits as briefly as for
   * a query: an engine that takes longer goes on with it.
   */
  void remove(String id) {
    try {
      boolean _ =
          through(
              asking,
              client -> {
                client.removeContainerCmd(id).withForce(true).withRemoveVolumes(true).exec();
                return true;
              });
    } catch (NotFoundException | ConflictException e) {
      return; // It is gone, or on its way.
    }
  }

  /** The last lines that a container printed. */
  String printed(String id, int lines) {
    StringBuilder text = new StringBuilder();
    StreamedDockerResponse<Frame> frames =
        new StreamedDockerResponse<>(
            frame -> text.append(new String(frame.getPayload(), StandardCharsets.UTF_8)));
    boolean _ =
        ask(client ->
                client
                    .logContainerCmd(id)
                    .withStdOut(true)
                    .withStdErr(true)
                    .withTail(lines)
                    .exec(frames))
            .awaitEnd(ASK_TIMEOUT);
    return text.toString();
  }

  /** The engine's time; the epoch if it does not report one. */
  Instant time() {
    String systemTime =
        ask(
            client ->
                Objects.requireNonNullElse(
                    client.infoCmd().exec().getSystemTime(), Instant.EPOCH.toString()));
    return OffsetDateTime.parse(systemTime).toInstant();
  }

  /**
   * Opens the stream of deaths of containers with this label, from a time of the engine's on. An
   * engine reports the stream open a moment before it is; without a start time, deaths in between
   * would be missed.
   */
  StreamedDockerResponse<Event> deaths(
      String label, String value, Instant since, Consumer<Event> listener) {
    String from = "%d.%09d".formatted(since.getEpochSecond(), since.getNano());
    return act(
        client ->
            client
                .eventsCmd()
                .withEventTypeFilter(EventType.CONTAINER)
                .withEventFilter("die")
                .withLabelFilter(Map.of(label, value))
                .withSince(from)
                .exec(new StreamedDockerResponse<>(listener)));
  }

  @Override
  public void close() {
    for (Closeable client : List.of(asking, acting, commands)) {
      try {
        client.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  /** A query. A failed query leaves the state unknown, like an unreachable engine. */
  private <T> T ask(Function<DockerClient, T> command) {
    try {
      return through(asking, command);
    } catch (DockerException e) {
      if (e.getHttpStatus() >= FAILURE) {
        throw new LauncherUnavailable("the Docker engine failed: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  private <T> T act(Function<DockerClient, T> command) {
    return through(acting, command);
  }

  private void run(Consumer<DockerClient> command) {
    boolean _ =
        act(
            client -> {
              try {
                command.accept(client);
                return true;
              } catch (NotModifiedException e) {
                return false; // It was so already.
              }
            });
  }

  /**
   * Sends a command. All commands are idempotent, so one that was sent on a connection which the
   * engine had closed, as after its restart, is sent again.
   */
  private <T> T through(DockerClient client, Function<DockerClient, T> command) {
    for (int stale = 0; ; stale++) {
      try {
        return command.apply(client);
      } catch (DockerException | LauncherUnavailable e) {
        throw e;
      } catch (RuntimeException e) {
        if (!(e.getCause() instanceof IOException cause)) {
          throw e;
        }
        boolean nobodyThere =
            cause instanceof ConnectException || cause instanceof InterruptedIOException;
        if (nobodyThere || stale == STALE_MAX) {
          throw new LauncherUnavailable(
              "the Docker engine at " + host + " cannot be reached: " + cause.getMessage(), e);
        }
      }
    }
  }

  private static DefaultDockerClientConfig config(String host, Map<String, String> environment) {
    DefaultDockerClientConfig.Builder builder =
        DefaultDockerClientConfig.createDefaultConfigBuilder()
            .withDockerHost(host)
            .withDockerTlsVerify(false)
            .withApiVersion(RemoteApiVersion.unknown());
    return tls(environment)
        .map(context -> builder.withCustomSslConfig(() -> context))
        .orElse(builder)
        .build();
  }

  /** By the variables and files of Docker's own client; it reads keys as PKCS #8 alone. */
  private static Optional<SSLContext> tls(Map<String, String> environment) {
    if (environment.getOrDefault("DOCKER_TLS_VERIFY", "").isEmpty()) {
      return Optional.empty();
    }
    Path folder =
        Optional.ofNullable(environment.get("DOCKER_CERT_PATH"))
            .map(Path::of)
            .orElseGet(() -> Path.of(System.getProperty("user.home"), ".docker"));
    return Optional.of(
        TlsConfig.context(
            "DOCKER_CERT_PATH",
            folder.resolve("ca.pem"),
            folder.resolve("cert.pem"),
            folder.resolve("key.pem")));
  }

  private static ZerodepDockerHttpClient transport(
      DefaultDockerClientConfig config, Duration timeout) {
    return new ZerodepDockerHttpClient.Builder()
        .dockerHost(config.getDockerHost())
        .sslConfig(config.getSSLConfig())
        .maxConnections(64)
        .connectionTimeout(Duration.ofSeconds(5))
        .responseTimeout(timeout)
        .build();
  }
}
