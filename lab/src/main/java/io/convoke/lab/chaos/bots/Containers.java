package io.convoke.lab.chaos.bots;

import io.convoke.lab.docker.EngineCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bots' containers as the engine lists them. */
final class Containers implements Processes {
  private static final Pattern NAME = Pattern.compile("convoke-bot-([0-9]+)-.*");

  private final EngineCalls engine;
  private final String label;
  private volatile boolean away;

  Containers(Path socket, String fleet) {
    this.engine = new EngineCalls(socket);
    this.label = "convoke.fleet=" + fleet;
  }

  /** While the engine is away nothing can be seen; at any other time that is an error. */
  void away(boolean now) {
    away = now;
  }

  @Override
  public Map<Long, Seen> look() {
    Map<Long, Seen> seen = new HashMap<>();
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
                  seen.put(meeting, new Seen(meeting, name, List.of(new Box(id)), true));
                }
              });
    } catch (IOException e) {
      if (!away) {
        throw new UncheckedIOException("the engine cannot be asked", e);
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

  /** One container. The engine may be away just now, and then nothing is done to it. */
  private final class Box implements Body {
    private final String id;

    Box(String id) {
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

  private interface Deed {
    void run() throws IOException;
  }

  private void unlessAway(Deed deed) {
    try {
      deed.run();
    } catch (IOException e) {
      if (!away) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
