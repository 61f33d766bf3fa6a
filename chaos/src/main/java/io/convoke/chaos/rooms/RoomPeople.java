package io.convoke.chaos.rooms;

import io.convoke.chaos.rooms.RoomHistory.RoomVisit;
import io.convoke.fakes.speech.SpeakingBrowser;
import io.convoke.fakes.speech.SpeakingBrowser.PageFailure;
import io.convoke.fakes.speech.SpokenVoice;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The people of a run in two browsers, and the record of who was in the room when. One thread lets
 * them act; another one may tell that they are gone.
 */
final class RoomPeople implements AutoCloseable {
  /** Until Janus ends the session of a browser that is dead, and some. */
  private static final Duration UNSEEN = Duration.ofSeconds(20);

  private final Path folder;
  private final URI server;
  private final String token;
  private final OrphanReaper reaper;
  private final List<String> names;
  private final List<SpeakingBrowser> browsers = new ArrayList<>();
  private final Map<String, RoomVisit> inside = new TreeMap<>();
  private final List<RoomVisit> visits = new ArrayList<>();
  private final List<RoomVisit> attempts = new ArrayList<>();
  private int browsersEver;
  private int said;
  private String trouble = "";

  RoomPeople(Path folder, URI server, String link, OrphanReaper reaper, List<String> names)
      throws IOException, PageFailure {
    this.folder = folder;
    this.server = server;
    this.token = link.substring(link.indexOf('#') + 1);
    this.reaper = reaper;
    this.names = List.copyOf(names);
    for (int i = 0; i < 2; i++) {
      browsers.add(browser());
    }
  }

  private SpeakingBrowser browser() throws IOException, PageFailure {
    return new SpeakingBrowser(folder.resolve("browser-" + browsersEver++), server, reaper);
  }

  private synchronized SpeakingBrowser of(String name) {
    return browsers.get(names.indexOf(name) % browsers.size());
  }

  /** Whether someone is in the room. */
  synchronized boolean isInside(String name) {
    return inside.containsKey(name);
  }

  /** Joins; returns whether that is certain. What fails is tried again later. */
  boolean join(String name) {
    Instant from = Instant.now();
    try {
      var _ = of(name).call("drop", name);
      var _ =
          of(name)
              .call(
                  "join",
                  Map.of(
                      "token", token, "name", name, "shown", RoomPlan.shown(name), "video", false));
      synchronized (this) {
        inside.put(
            name,
            new RoomVisit(RoomPlan.shown(name), from, Instant.now(), Instant.MAX, Instant.MAX));
      }
      return true;
    } catch (PageFailure failed) {
      // Perhaps it was in the room for a moment, which is no visit that must be seen.
      synchronized (this) {
        attempts.add(
            new RoomVisit(
                RoomPlan.shown(name), from, Instant.now(), from, Instant.now().plus(UNSEEN)));
      }
      trouble = String.valueOf(failed.getMessage());
      drop(name);
      return false;
    }
  }

  /** Says a sentence; false if that cannot be known. */
  boolean say(String name, String sentence) {
    try {
      var _ =
          of(name)
              .call(
                  "say",
                  Map.of("name", name, "wav", SpokenVoice.of(names.indexOf(name)).says(sentence)));
      boolean here = of(name).call("here", name).asBoolean(false);
      if (here) {
        said++;
      } else if (isInside(name)) {
        gone(List.of(name), Instant.now().minus(UNSEEN), Instant.now());
        drop(name);
      }
      return here;
    } catch (PageFailure failed) {
      return false;
    }
  }

  int said() {
    return said;
  }

  void leave(String name) {
    Instant from = Instant.now();
    try {
      var _ = of(name).call("leave", name);
      gone(List.of(name), from, Instant.now());
    } catch (PageFailure failed) {
      drop(name);
      gone(List.of(name), from, Instant.now().plus(UNSEEN));
    }
  }

  private void drop(String name) {
    try {
      var _ = of(name).call("drop", name);
    } catch (PageFailure failed) {
      // The browser is gone, and with it the person.
    }
  }

  private synchronized void gone(List<String> them, Instant from, Instant to) {
    for (String name : them) {
      RoomVisit visit = inside.remove(name);
      if (visit != null) {
        visits.add(new RoomVisit(visit.name(), visit.joinFrom(), visit.joinTo(), from, to));
      }
    }
  }

  /** Janus has ended, and all are out of the room. */
  void allGone(Instant from) {
    gone(names, from, Instant.now());
  }

  /** Kills a browser; Janus notices later that its people are gone. */
  void killBrowser(int number) {
    Instant from = Instant.now();
    SpeakingBrowser browser;
    synchronized (this) {
      browser = browsers.get(number);
    }
    browser.kill();
    gone(names.stream().filter(it -> of(it) == browser).toList(), from, Instant.now().plus(UNSEEN));
  }

  /** Starts another browser in the place of one that was killed. */
  void startBrowser(int number) {
    try {
      SpeakingBrowser another = browser();
      synchronized (this) {
        browsers.set(number, another);
      }
    } catch (IOException | PageFailure failed) {
      throw new IllegalStateException("no other browser starts", failed);
    }
  }

  /** Why the last join failed. */
  String trouble() {
    return trouble;
  }

  /** Joins that failed, after which someone may have been in the room for a moment. */
  synchronized List<RoomVisit> attempts() {
    return List.copyOf(attempts);
  }

  /** All visits; those that have not ended are not among them. */
  synchronized List<RoomVisit> visits() {
    return List.copyOf(visits);
  }

  @Override
  public void close() {
    browsers.forEach(SpeakingBrowser::close);
  }
}
