package io.convoke.chaos.bots;

import io.convoke.fakes.docker.DockerClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bots' containers as listed by the engine. */
final class BotContainers implements BotProcesses {
  private static final Pattern NAME = Pattern.compile("convoke-bot-([0-9]+)-.*");

  private final DockerClient engine;
  private final String label;
  private volatile boolean away;

  BotContainers(Path socket, String fleet) {
    this.engine = new DockerClient(socket);
    this.label = "convoke.fleet=" + fleet;
  }

  /** An unreachable engine is expected while it is down; at any other time it is an error. */
  void away(boolean now) {
    away = now;
  }

  @Override
  public Map<Long, BotProcessState> list() {
    Map<Long, BotProcessState> seen = new HashMap<>();
    if (away) {
      return seen;
    }
    try {
      engine
          .labelled(label, false)
          .forEach(
              (name, id) -> {
                Matcher matcher = NAME.matcher(name);
                if (matcher.matches()) {
                  long meeting = Long.parseLong(matcher.group(1));
                  seen.put(
                      meeting,
                      new BotProcessState(meeting, name, List.of(new BotContainer(id)), true));
                }
              });
    } catch (IOException e) {
      if (!away) {
        throw new UncheckedIOException("the engine does not answer", e);
      }
    }
    return seen;
  }

  @Override
  public void endAll() {
    try {
      for (String id : engine.labelled(label, true).values()) {
        engine.remove(id);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Acts on one container; does nothing while the engine is down. */
  private final class BotContainer implements BotProcessHandle {
    private final String id;

    BotContainer(String id) {
      this.id = id;
    }

    @Override
    public void kill() {
      unlessAway(() -> engine.kill(id));
    }

    @Override
    public void hang() {
      unlessAway(() -> engine.pause(id));
    }
  }

  private interface ContainerAction {
    void run() throws IOException;
  }

  private void unlessAway(ContainerAction action) {
    try {
      action.run();
    } catch (IOException e) {
      if (!away) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
