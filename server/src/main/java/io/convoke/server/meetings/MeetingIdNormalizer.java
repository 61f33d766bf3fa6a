package io.convoke.server.meetings;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The one spelling of a meeting's id on its platform, whatever a user typed: the id in capitals or
 * with spaces, or the whole address. Other ids are unchanged. Pure.
 */
public final class MeetingIdNormalizer {
  private static final Pattern ADDRESS =
      Pattern.compile("(?i)(https?://)?([a-z0-9.-]+\\.[a-z]+\\.?)(:\\d+)?[/?].*");
  private static final Pattern MEET_CODE =
      Pattern.compile("(?i)([a-z]{3})-?([a-z]{4})-?([a-z]{3})");
  private static final Pattern SPACED_NUMBER = Pattern.compile("\\d(?:[ \\u00a0-]?\\d){8,19}");
  private static final Pattern NUMBER = Pattern.compile("\\d{9,20}");
  private static final Pattern TEAMS_THREAD =
      Pattern.compile("(?i)19:[^@/\\s]+@thread\\.(v2|tacv2|skype)");

  /** The names that Daily allows: neither a dot nor an escape, which could reach another room. */
  private static final Pattern DAILY_ROOM = Pattern.compile("[A-Za-z0-9_-]{1,128}");

  /** As many characters as an id may have. */
  private static final int LONGEST = 255;

  /** Pages of Google Meet that are not meetings. */
  private static final List<String> NO_MEETINGS = List.of("new", "landing", "about");

  private MeetingIdNormalizer() {}

  /**
   * The canonical id.
   *
   * @param id as a user typed it: an id of the platform, or an address of the platform's own host
   */
  public static String canonical(String platform, String id) {
    String typed = id.strip();
    return address(platform, typed)
        .flatMap(link -> inAddress(platform, link))
        .orElseGet(() -> spelled(platform, typed).orElse(id));
  }

  /** The URL given in place of an id, if it names the platform's own host. */
  static Optional<MeetingLink> address(String platform, String typed) {
    Matcher matcher = ADDRESS.matcher(typed);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return MeetingLink.parse(matcher.group(1) == null ? "https://" + typed : typed)
        .filter(link -> AllowedMeetingHosts.serves(platform, link.host()));
  }

  /** The id that an address of a meeting of this platform names, if it names one. */
  static Optional<String> inAddress(String platform, MeetingLink link) {
    return named(platform, link, link.path())
        .filter(id -> id.length() <= LONGEST && id.codePoints().noneMatch(Character::isISOControl));
  }

  private static Optional<String> named(String platform, MeetingLink link, List<String> path) {
    return switch (platform) {
      case "daily" -> dailyRoom(link, path);
      case "google_meet" ->
          path.size() == 1 && !NO_MEETINGS.contains(path.getFirst())
              ? spelled(platform, path.getFirst()).or(() -> Optional.of(path.getFirst()))
              : personal(path, "lookup");
      case "zoom" ->
          path.stream()
              .skip(1)
              .flatMap(segment -> spelled(platform, segment).stream())
              .findFirst()
              .filter(number -> List.of("j", "s", "w", "wc").contains(path.getFirst()))
              .or(() -> personal(path, "my"));
      case "teams" -> inTeamsAddress(link, path);
      default -> Optional.empty();
    };
  }

  /** A path that is the room's name, on hosts that are not Daily's also behind {@code /rooms/}. */
  private static Optional<String> dailyRoom(MeetingLink link, List<String> path) {
    boolean behind =
        path.size() == 2
            && path.getFirst().equals("rooms")
            && !AllowedMeetingHosts.serves("daily", link.host());
    return path.size() == 1 || behind
        ? Optional.of(path.getLast()).filter(room -> DAILY_ROOM.matcher(room).matches())
        : Optional.empty();
  }

  /** A user-given name of a meeting, which the platform distinguishes from its own ids. */
  private static Optional<String> personal(List<String> path, String prefix) {
    return path.size() == 2 && path.getFirst().equals(prefix)
        ? Optional.of(prefix + "/" + path.getLast())
        : Optional.empty();
  }

  /**
   * {@code /l/meetup-join/THREAD/0} or {@code /meet/NUMBER}; the same behind {@code /_#} and {@code
   * /v2/#}, or in the {@code url} of the launcher's page.
   */
  private static Optional<String> inTeamsAddress(MeetingLink link, List<String> path) {
    Optional<MeetingLink> inner = teamsInner(link, path);
    if (inner.isPresent()) {
      return inTeamsAddress(inner.get(), inner.get().path());
    }
    int at = path.indexOf("meetup-join");
    if (at >= 0 && at + 1 < path.size()) {
      return spelled("teams", path.get(at + 1));
    }
    return path.size() == 2 && path.getFirst().equals("meet")
        ? spelled("teams", path.getLast())
        : Optional.empty();
  }

  /** The address that one of Teams' own pages opens; each step is shorter than the one before. */
  private static Optional<MeetingLink> teamsInner(MeetingLink link, List<String> path) {
    Optional<String> inner =
        path.equals(List.of("_")) || path.equals(List.of("v2"))
            ? link.fragment()
            : link.query("url")
                .filter(_ -> path.equals(List.of("dl", "launcher", "launcher.html")));
    return inner
        .filter(rest -> rest.startsWith("/"))
        .flatMap(rest -> MeetingLink.parse("https://" + link.host() + rest));
  }

  /** The passcode that an address carries. */
  static Optional<String> passcode(String platform, MeetingLink link) {
    return switch (platform) {
      case "zoom" -> link.query("pwd");
      case "teams" ->
          link.query("p")
              .or(() -> teamsInner(link, link.path()).flatMap(inner -> passcode(platform, inner)));
      default -> Optional.empty();
    };
  }

  /** An id in the platform's own form; empty if it has none. */
  private static Optional<String> spelled(String platform, String id) {
    return switch (platform) {
      case "google_meet" -> {
        Matcher code = MEET_CODE.matcher(id);
        yield code.matches()
            ? Optional.of(
                (code.group(1) + "-" + code.group(2) + "-" + code.group(3))
                    .toLowerCase(Locale.ROOT))
            : Optional.empty();
      }
      case "zoom" -> number(id);
      case "teams" -> number(id).or(() -> thread(id));
      default -> Optional.empty();
    };
  }

  private static Optional<String> number(String id) {
    return SPACED_NUMBER.matcher(id).matches()
        ? Optional.of(id.replaceAll("\\D", ""))
        : Optional.empty();
  }

  private static Optional<String> thread(String id) {
    String thread = MeetingLink.decoded(id);
    return TEAMS_THREAD.matcher(thread).matches() ? Optional.of(thread) : Optional.empty();
  }

  /** Whether two canonical ids can only be two meetings: they are of the same form, and differ. */
  static boolean disagree(String platform, String one, String other) {
    return !one.equals(other)
        && switch (platform) {
          case "daily" -> true;
          case "google_meet" ->
              spelled(platform, one).isPresent() && spelled(platform, other).isPresent();
          case "zoom", "teams" ->
              NUMBER.matcher(one).matches() == NUMBER.matcher(other).matches()
                  && spelled(platform, one).isPresent()
                  && spelled(platform, other).isPresent();
          default -> false;
        };
  }
}
