package io.convoke.server.bots;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.BotExitDetails;
import io.convoke.server.meetings.MeetingStatusChange;
import java.net.URI;
import java.net.URLDecoder;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the last output of a failed bot on its meeting's timeline, as one {@code bot.log} event
 * for each attempt, from the node that notices the exit first. Tokens, passwords in URLs, the
 * meeting's passcode and the secrets that the operator gives to all bots, also by a template, are
 * redacted.
 */
final class CrashLogCapture {
  private static final Logger log = LoggerFactory.getLogger(CrashLogCapture.class);
  private static final Pattern TOKEN = Pattern.compile("cvb_[A-Za-z0-9_-]+");
  private static final Pattern CREDENTIALS = Pattern.compile("://[^/@\\s]*@");
  private static final String STRUCK = "***";
  private static final int LINE_LENGTH_MAX = 300;

  /**
   * From this length on a value of a template may be a secret: a log without {@code true} or {@code
   * UTC} would not be readable.
   */
  private static final int TEMPLATE_SECRET_MIN = 8;

  private final Database database;
  private final Journal journal;
  private final Launcher launcher;
  private final Sealer sealer;

  /** Secrets that every bot is given. */
  private final List<String> shared;

  CrashLogCapture(
      Database database, Journal journal, Launcher launcher, Sealer sealer, BotsConfig terms) {
    this.database = database;
    this.journal = journal;
    this.launcher = launcher;
    this.sealer = sealer;
    this.shared =
        Stream.of(
                terms.vexa().transcriptionKey().stream(),
                terms.redisUrl().stream().flatMap(CrashLogCapture::passwords),
                launcher.templateValues().stream().flatMap(CrashLogCapture::secretLines))
            .flatMap(secrets -> secrets)
            .toList();
  }

  /**
   * The lines of a value, as they may be in a log: a key has several. A log's own lines have lost
   * the credentials of their URLs when these are looked for, so these lose them too.
   */
  private static Stream<String> secretLines(String value) {
    return value
        .lines()
        .map(String::strip)
        .filter(line -> line.length() >= TEMPLATE_SECRET_MIN)
        .map(line -> struck(line, List.of()));
  }

  /**
   * The password as it stands in the URL of a Redis, and decoded. Lettuce takes a login without a
   * colon for the password. {@link URI} has no user info where a host is one of several, or has an
   * underscore.
   */
  static Stream<String> passwords(String redisUrl) {
    String authority = Optional.ofNullable(URI.create(redisUrl).getRawAuthority()).orElse("");
    String login = authority.substring(0, Math.max(0, authority.lastIndexOf('@')));
    String password = login.substring(login.indexOf(':') + 1);
    return Stream.of(password, URLDecoder.decode(password.replace("+", "%2B"), UTF_8))
        .filter(secret -> !secret.isEmpty())
        .distinct();
  }

  /**
   * Stores the last output of a bot unless it exited with 0; returns the reason of its exit, where
   * known.
   *
   * @param handle from the exit; a bot may exit before the row has its handle
   */
  Optional<String> of(BotRow row, String handle, Optional<Integer> exitCode) {
    if (exitCode.filter(code -> code == 0).isPresent()) {
      return Optional.empty();
    }
    BotExitDetails botExitDetails = launcher.remains(handle);
    if (botExitDetails.reason().isPresent() || !botExitDetails.lastLines().isEmpty()) {
      try {
        database.transaction(
            tx -> {
              append(tx, row, exitCode, botExitDetails);
              return true;
            });
      } catch (RuntimeException e) {
        // The bot has ended all the same, and so must its row.
        log.warn("the last output of the bot of meeting {} is not stored", row.id(), e);
      }
    }
    return botExitDetails.reason();
  }

  private void append(
      Tx tx, BotRow row, Optional<Integer> exitCode, BotExitDetails botExitDetails) {
    Optional<BotRow> locked = BotStore.lock(tx, row.id());
    if (locked.isEmpty() || known(tx, row)) {
      return;
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("meeting_id", row.id());
    data.put("attempt", row.attempt());
    data.put("exit_code", exitCode.orElse(null));
    data.put("reason", botExitDetails.reason().orElse(null));
    data.put("lines", struck(row, botExitDetails.lastLines()));
    journal.append(
        tx,
        List.of(
            NewJournalEvent.of(
                "bot.log",
                MeetingStatusChange.subject(row.id()),
                Optional.of(row.meeting().userId()),
                data)));
  }

  private static boolean known(Tx tx, BotRow row) {
    return tx.sql(
            """
            select true as known from events
            where subject = ? and type = 'bot.log' and (data ->> 'attempt')::int = ? limit 1
            """)
        .with(MeetingStatusChange.subject(row.id()), row.attempt())
        .first(found -> found.booleanAt("known"))
        .isPresent();
  }

  /** Cut after the redaction: half a secret would not be recognised. */
  private List<String> struck(BotRow row, List<String> lines) {
    List<String> secrets =
        Stream.concat(shared.stream(), row.spec().passcode().map(sealer::open).stream())
            .filter(secret -> !secret.isEmpty())
            // One may contain another.
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
    return lines.stream().map(line -> cut(struck(storable(line), secrets))).toList();
  }

  private static String struck(String line, List<String> secrets) {
    String struck = TOKEN.matcher(line).replaceAll(STRUCK);
    struck = CREDENTIALS.matcher(struck).replaceAll("://" + STRUCK + "@");
    for (String secret : secrets) {
      struck = struck.replace(secret, STRUCK);
    }
    return struck;
  }

  /** A line without NUL and halves of surrogate pairs, which Postgres refuses. */
  private static String storable(String line) {
    return line.codePoints()
        .filter(point -> point != 0 && Character.getType(point) != Character.SURROGATE)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static String cut(String line) {
    return line.codePointCount(0, line.length()) <= LINE_LENGTH_MAX
        ? line
        : line.substring(0, line.offsetByCodePoints(0, LINE_LENGTH_MAX));
  }
}
