package io.convoke.server;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.docker.DockerConfig;
import io.convoke.server.launch.docker.DockerLauncher;
import io.convoke.server.launch.kubernetes.KubernetesConfig;
import io.convoke.server.launch.kubernetes.KubernetesLauncher;
import io.convoke.server.launch.nomad.NomadConfig;
import io.convoke.server.launch.nomad.NomadLauncher;
import io.convoke.server.launch.process.BotCommandLine;
import io.convoke.server.launch.process.BotUsers;
import io.convoke.server.launch.process.ProcessLauncher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the launcher that starts bots: processes, containers, Nomad jobs or pods. */
public final class LauncherFactory {
  private static final Logger log = LoggerFactory.getLogger(LauncherFactory.class);

  private LauncherFactory() {}

  /** The configured launcher. */
  static Launcher of(ServerConfig serverConfig, Path data) {
    return switch (serverConfig.get(Settings.BOT_LAUNCHER)) {
      case PROCESS -> processLauncher(serverConfig, data);
      case DOCKER -> new DockerLauncher(DockerConfig.of(serverConfig), InstantSource.system());
      case NOMAD -> new NomadLauncher(NomadConfig.of(serverConfig));
      case KUBERNETES ->
          new KubernetesLauncher(KubernetesConfig.of(serverConfig), InstantSource.system());
    };
  }

  /**
   * Reads what the launcher is given, templates and certificates among it, as a server does at its
   * start. Nothing is connected to, and no bot's record is touched.
   *
   * @throws InvalidConfigException with what a server would refuse
   */
  public static void check(ServerConfig serverConfig, Path data) {
    switch (serverConfig.get(Settings.BOT_LAUNCHER)) {
      case PROCESS -> {
        Optional<BotUsers> _ = users(serverConfig);
      }
      case DOCKER, NOMAD, KUBERNETES -> of(serverConfig, data).close();
    }
  }

  private static Launcher processLauncher(ServerConfig serverConfig, Path data) {
    BotCommandLine command =
        serverConfig
            .get(Settings.BOT_COMMAND)
            .map(BotCommandLine::shell)
            .orElseGet(BotCommandLine::reference);
    Optional<BotUsers> users = users(serverConfig);
    if (users.isEmpty()) {
      log.info("{}", BotUsers.advice());
    }
    try {
      return new ProcessLauncher(data.resolve("bots"), command, users);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot store bot records in " + data, e);
    }
  }

  private static Optional<BotUsers> users(ServerConfig serverConfig) {
    Optional<BotUsers> users =
        serverConfig.get(Settings.BOT_UIDS).map(ids -> new BotUsers(ids.first(), ids.last()));
    if (users.isPresent() && !BotUsers.possible()) {
      throw new InvalidConfigException(
          List.of(Settings.BOT_UIDS.name() + " needs root, /proc and the program setpriv"));
    }
    return users;
  }
}
