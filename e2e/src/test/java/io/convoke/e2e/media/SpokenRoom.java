package io.convoke.e2e.media;

import com.microsoft.playwright.Page;
import io.convoke.e2e.console.Chromium;
import io.convoke.fakes.speech.SpokenVoice;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Participants who speak sentences in rooms of a real Janus: in pages of a real browser, each with
 * a connection and a voice of its own. For one thread, which speaks them one after the other.
 */
final class SpokenRoom implements AutoCloseable {
  /** Each waits for events, and a browser has six connections to a server at most. */
  private static final int PEOPLE_PER_PAGE = 3;

  private static final Duration SOON = Duration.ofSeconds(60);

  private final Chromium chromium = Chromium.forSpeech();
  private final String serverUrl;
  private final List<Page> pages = new ArrayList<>();
  private final Map<String, Page> people = new HashMap<>();
  private final Map<String, SpokenVoice> voices = new HashMap<>();

  /** Pages of this server, with empty rooms. */
  SpokenRoom(String serverUrl) {
    this.serverUrl = serverUrl;
  }

  private Page page() {
    if (people.size() % PEOPLE_PER_PAGE == 0) {
      Page page = chromium.browser().newContext().newPage();
      page.setDefaultTimeout((double) SOON.toMillis());
      page.navigate(serverUrl + "/join.html");
      Object _ = page.evaluate(script());
      pages.add(page);
    }
    return pages.getLast();
  }

  private static String script() {
    try (InputStream in = SpokenRoom.class.getResourceAsStream("/speakers.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Joins by a link, with sound and perhaps a picture; returns when both are on their way. */
  void join(String link, String name, boolean video) {
    SpokenVoice _ = voices.computeIfAbsent(name, _ -> SpokenVoice.of(voices.size()));
    Page page = page();
    people.put(name, page);
    Object _ =
        page.evaluate(
            "it => speakers.join(it)",
            Map.of("token", link.substring(link.indexOf('#') + 1), "name", name, "video", video));
  }

  private Page of(String name) {
    return Objects.requireNonNull(people.get(name));
  }

  /** Says a sentence, and returns when it is said. */
  void say(String name, String sentence) {
    Object _ =
        of(name)
            .evaluate(
                "it => speakers.say(it)", Map.of("name", name, "wav", spoken(name, sentence)));
  }

  /**
   * Two of one page say something at the same time; returns the share of their speech that was
   * under the other's, by how long both took together.
   */
  double sayTogether(String one, String its, String other, String others) {
    String first = spoken(one, its);
    String second = spoken(other, others);
    Number took =
        (Number)
            of(one)
                .evaluate(
                    """
                    async (all) => {
                      const began = performance.now();
                      await Promise.all(all.map(speakers.say));
                      return (performance.now() - began) / 1000;
                    }
                    """,
                    List.of(
                        Map.of("name", one, "wav", first), Map.of("name", other, "wav", second)));
    double both = seconds(first) + seconds(second);
    return 2 * Math.max(0, both - took.doubleValue()) / both;
  }

  /** Of what espeak-ng writes: 22,050 samples a second of 16 bits behind a header. */
  private static double seconds(String wav) {
    return (Base64.getDecoder().decode(wav).length - 44) / 44_100.0;
  }

  /** Lets a moment pass in which they say nothing. */
  void quiet(Duration time) {
    Object _ = pages.getFirst().evaluate("ms => speakers.quiet(ms)", (double) time.toMillis());
  }

  void leave(String name) {
    Object _ = of(name).evaluate("name => speakers.leave(name)", name);
  }

  private String spoken(String name, String sentence) {
    return Objects.requireNonNull(voices.get(name)).says(sentence);
  }

  @Override
  public void close() {
    chromium.close();
  }
}
