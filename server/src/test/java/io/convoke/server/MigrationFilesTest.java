package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What migrations do to tables that are in use. */
class MigrationFilesTest {
  /** Those before this one are in databases, with their checksums. */
  private static final int FIRST = 85;

  private static final Pattern COMMENT = Pattern.compile("--.*");
  private static final Pattern CREATED =
      Pattern.compile("create table (?:if not exists )?([\\w.]+)");
  private static final Pattern ALTERED =
      Pattern.compile("alter table (?:if exists )?(?:only )?([\\w.]+)");
  private static final Pattern INDEXED =
      Pattern.compile(
          "create (?:unique )?index (?:concurrently )?(?:if not exists )?(?:\\w+ )?on"
              + " (?:only )?([\\w.]+)");

  /** An alter table locks out readers, and its transaction keeps the lock while it builds. */
  @Test
  void noMigrationBuildsAnIndexOfATableThatItAlters() throws Exception {
    assertThat(blocked(folder().resolve("V063__bot_rules.sql"))).containsExactly("meetings");
    assertThat(blocked(folder().resolve("V073__chat_and_speech.sql")))
        .as("chat_messages is its own")
        .containsExactly("bot_commands");
    assertThat(blocked(folder().resolve("V082__indexes_of_lookups.sql"))).isEmpty();
    try (Stream<Path> files = Files.list(folder())) {
      assertThat(files.filter(file -> version(file) >= FIRST))
          .allSatisfy(
              file ->
                  assertThat(blocked(file))
                      .as(
                          "tables that %s alters and indexes: readers wait while the index is"
                              + " built; build it in a migration of its own",
                          file.getFileName())
                      .isEmpty());
    }
  }

  private static Path folder() throws URISyntaxException {
    return Path.of(
        Objects.requireNonNull(MigrationFilesTest.class.getResource("/db/migration")).toURI());
  }

  private static int version(Path file) {
    return Integer.parseInt(file.getFileName().toString().substring(1, 4));
  }

  private static Set<String> blocked(Path file) throws IOException {
    String sql =
        COMMENT
            .matcher(Files.readString(file))
            .replaceAll("")
            .replaceAll("\\s+", " ")
            .toLowerCase(Locale.ROOT);
    Set<String> tables = tables(ALTERED, sql);
    tables.retainAll(tables(INDEXED, sql));
    tables.removeAll(tables(CREATED, sql));
    return tables;
  }

  private static Set<String> tables(Pattern pattern, String sql) {
    Set<String> tables = new TreeSet<>();
    Matcher matcher = pattern.matcher(sql);
    while (matcher.find()) {
      boolean _ = tables.add(matcher.group(1).replace("convoke.", ""));
    }
    return tables;
  }
}
