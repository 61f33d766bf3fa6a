package io.convoke.server.schemaimport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.cli.ServerCommands;
import io.convoke.simulator.stores.LocalStores;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code convoke migrate --adopt} on a dump of the older layout (bots-16). */
@Tag("nightly")
class SchemaImporterTest {
  private final String url = LocalStores.forTests().freshDatabase();
  private final Database database =
      Database.open(DatabaseUrl.parse(url), 2, "adoption-test", Migrations.SCHEMAS);
  @TempDir private Path folder;

  @BeforeEach
  void restoreTheDump() throws IOException {
    try (InputStream dump = getClass().getResourceAsStream("/adopt/seed001.sql")) {
      run(
          new String(
              java.util.Objects.requireNonNull(dump).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void everyRowIsThereWithItsIdAndWhatItSaid() throws IOException {
    Told told = migrate("--adopt", "old");
    assertThat(told.code()).as(told.err()).isZero();
    assertThat(told.out())
        .contains("taken over: 3 users, 9 meetings, 3 meeting_sessions, 3 transcriptions");
    assertThat(lines("select id || ' ' || status as line from meetings order by id"))
        .as("the words stay as they are; they read as the seed maps them")
        .containsExactly(
            "10 requested",
            "11 reserved",
            "12 starting",
            "13 active",
            "14 active",
            "15 stopping",
            "16 completed",
            "17 failed",
            "18 error");
    assertThat(
            lines(
                "select id || ' ' || coalesce(email, '-') || ' ' ||"
                    + " coalesce(max_concurrent_bots::text, '-') || ' ' || data as line from users"
                    + " order by id"))
        .containsExactly(
            "1 ada@example.org 3 {\"plan\": \"pro\"}",
            "2 - - {}",
            "7 Bo@example.org 0 {\"adopted\": [\"odd\"]}");
    assertThat(
            lines(
                "select to_char(start_time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' ' ||"
                    + " data || ' ' || bot_container_id as line from meetings where id = 13"))
        .containsExactly("2025-04-01 10:03:10 {\"name\": \"Weekly\"} c0ffee13");
    assertThat(lines("select id || ' ' || session_uid as line from meeting_sessions order by id"))
        .containsExactly(
            "5 11111111-1111-4111-8111-111111111111",
            "6 22222222-2222-4222-8222-222222222222",
            "7 google-hot-debug");
    assertThat(lines("select id || ' ' || text as line from transcriptions order by id"))
        .containsExactly("100 Good morning", "101 Good morning, all", "102 Hm");
    assertThat(lines("select count(*)::text as line from bot_launches")).containsExactly("0");
  }

  @Test
  void eachMeetingBeginsInTheJournalAndNothingIsDoneAgainForThoseThatAreOver() throws IOException {
    assertThat(migrate("--adopt", "old").code()).isZero();
    assertThat(
            lines(
                "select data ->> 'meeting_id' || ' ' || (data ->> 'to') as line from events where"
                    + " type = 'meeting.status_changed' order by (data ->> 'meeting_id')::int"))
        .containsExactly(
            "10 reserved",
            "11 reserved",
            "12 starting",
            "13 active",
            "14 active",
            "15 stopping",
            "16 completed",
            "17 failed",
            "18 failed");
    assertThat(
            lines(
                "select meeting_id::text as line from post_meeting where taken_at is not null order"
                    + " by meeting_id"))
        .containsExactly("16", "17", "18");
  }

  @Test
  void whatComesAfterwardsTakesTheNextIds() throws IOException {
    assertThat(migrate("--adopt", "old").code()).isZero();
    assertThat(
            lines(
                "insert into users (email) values ('new@example.org') returning id::text as line"))
        .containsExactly("8");
    assertThat(
            lines(
                "insert into meetings (user_id, platform, platform_specific_id, status)"
                    + " values (8, 'zoom', '1', 'reserved') returning id::text as line"))
        .containsExactly("19");
  }

  @Test
  void aSecondTimeChangesNothing() throws IOException {
    assertThat(migrate("--adopt", "old").code()).isZero();
    run("update meetings set status = 'failed' where id = 10");
    run("insert into old.users (id, email) values (99, 'late@example.org')");
    List<String> before = everything();
    Told again = migrate("--adopt", "old");
    assertThat(again.code()).isZero();
    assertThat(again.out()).contains("imported before");
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void theSourceIsNeverWrittenTo() throws IOException {
    List<String> before = source();
    assertThat(migrate("--adopt", "old").code()).isZero();
    assertThat(source()).isEqualTo(before);
  }

  @Test
  void aFailureHalfWayLeavesNothingBehindAndTheNextTryTakesAll() throws IOException {
    assertThat(migrate().code()).isZero();
    run(
        """
        create function broken() returns trigger language plpgsql as $$
        begin raise exception 'the disk is full'; end $$;
        create trigger broken before insert on transcriptions for each row execute function broken();
        """);
    List<String> before = everything();
    assertThat(migrate("--adopt", "old").code()).isEqualTo(1);
    assertThat(everything()).isEqualTo(before);
    run("drop trigger broken on transcriptions");
    assertThat(migrate("--adopt", "old").code()).isZero();
    assertThat(lines("select count(*)::text as line from meetings")).containsExactly("9");
  }

  /** As the check of a table with many rows does. */
  @Test
  void anImportMayTakeLongerThanAStatementMay() throws IOException {
    assertThat(migrate().code()).isZero();
    run(
        """
        create function slow() returns trigger language plpgsql as $$
        begin perform pg_sleep(3); return null; end $$;
        create trigger slow before insert on users for each statement execute function slow();
        """);
    Told told = migrateAt(url + "?options=-c%20statement_timeout%3D2s", "--adopt", "old");
    assertThat(told.code()).as(told.err()).isZero();
    assertThat(lines("select count(*)::text as line from users")).containsExactly("3");
  }

  @Test
  void aSchemaOfAnotherShapeIsRefusedInALineForEachFault() throws IOException {
    run(
        "alter table old.meetings drop column status; alter table old.users alter column data type"
            + " text");
    run("drop table old.transcriptions");
    Told told = migrate("--adopt", "old");
    assertThat(told.code()).isEqualTo(2);
    assertThat(told.err().lines())
        .containsExactlyInAnyOrder(
            "convoke: schema old: column meetings.status is missing",
            "convoke: schema old: column users.data is of type text",
            "convoke: schema old: there is no table transcriptions");
    assertThat(
            lines(
                "select count(*)::text as line from information_schema.schemata where schema_name ="
                    + " 'convoke'"))
        .as("it is refused before anything is made")
        .containsExactly("0");
  }

  @Test
  void whatVexaCallsABotOnItsWayIsStartingHere() throws IOException {
    run("update old.meetings set status = 'joining' where id = 12");
    run("update old.meetings set status = 'awaiting_admission' where id = 13");
    run("update old.meetings set status = 'needs_human_help' where id = 14");
    Told told = migrate("--adopt", "old");
    assertThat(told.code()).as(told.err()).isZero();
    assertThat(
            lines(
                "select id || ' ' || status || ' ' || (lobby_since is not null) || ' ' ||"
                    + " (admitted_at is not null) as line from meetings where id in (12, 13, 14)"
                    + " order by id"))
        .containsExactly(
            "12 starting false false", "13 starting true false", "14 starting true false");
  }

  @Test
  void rowsThatHaveNoPlaceAreNamed() throws IOException {
    run("update old.meetings set status = 'lurking' where id in (12, 13)");
    run("update old.users set email = 'ADA@example.org' where id = 7");
    run(
        "insert into old.meeting_sessions (meeting_id, session_uid) values (12,"
            + " 'google-hot-debug')");
    Told told = migrate("--adopt", "old");
    assertThat(told.code()).isEqualTo(2);
    assertThat(told.err().lines())
        .containsExactlyInAnyOrder(
            "convoke: schema old: meetings.status is 'lurking' in 2 rows; no such status exists",
            "convoke: schema old: users.email is 'ada@example.org' in 2 rows; an email belongs to"
                + " one user, whatever its case",
            "convoke: schema old: meeting_sessions.session_uid is 'google-hot-debug' in 2 rows; a"
                + " session has one of its own");
    assertThat(lines("select count(*)::text as line from users")).containsExactly("0");
  }

  @Test
  void aSchemaThatIsNotThereOrIsOursIsRefused() throws IOException {
    assertThat(migrate("--adopt", "nowhere").code()).isEqualTo(2);
    assertThat(migrate("--adopt", "convoke").err()).contains("Convoke's own");
  }

  @Test
  void tablesThatHoldRowsAlreadyAreNotMixedWithOthers() throws IOException {
    assertThat(migrate().code()).isZero();
    run("insert into users (email) values ('first@example.org')");
    Told told = migrate("--adopt", "old");
    assertThat(told.code()).isEqualTo(2);
    assertThat(told.err()).contains("our own table users has 1 rows");
  }

  @Test
  void aQuotedNameIsNoStatement() throws IOException {
    run("alter schema old rename to \"o\"\"; drop table x\"");
    assertThat(migrate("--adopt", "o\"; drop table x").code()).isZero();
  }

  @Test
  void aSchemaThatDoesNotExistIsRefused() {
    assertThatThrownBy(() -> new SchemaImporter(database, "nowhere").check())
        .isInstanceOf(SchemaNotImportable.class)
        .hasMessage("schema nowhere: there is no such schema in this database");
  }

  private record Told(int code, String out, String err) {}

  /** Runs the command in this process. */
  private Told migrate(String... options) throws IOException {
    return migrateAt(url, options);
  }

  private Told migrateAt(String address, String... options) throws IOException {
    Path config =
        Files.writeString(folder.resolve("convoke.yaml"), "database.url: \"" + address + "\"\n");
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream toldOut = new ByteArrayOutputStream();
    ByteArrayOutputStream toldErr = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(toldOut, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(toldErr, true, StandardCharsets.UTF_8));
      String[] line = new String[options.length + 3];
      line[0] = "migrate";
      line[1] = "--config";
      line[2] = config.toString();
      System.arraycopy(options, 0, line, 3, options.length);
      int code = ServerCommands.run(line);
      return new Told(
          code,
          toldOut.toString(StandardCharsets.UTF_8),
          toldErr
              .toString(StandardCharsets.UTF_8)
              .lines()
              .filter(text -> text.startsWith("convoke: "))
              .collect(java.util.stream.Collectors.joining("\n")));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private List<String> everything() {
    return lines(
        """
        select line from (
          select 1 as n, id, users::text as line from users
          union all select 2, id, meetings::text from meetings
          union all select 3, id, meeting_sessions::text from meeting_sessions
          union all select 4, id, transcriptions::text from transcriptions
          union all select 5, seq, events::text from events
          union all select 6, meeting_id, post_meeting::text from post_meeting) all_rows order by n, id
        """);
  }

  private List<String> source() {
    return lines(
        """
        select line from (
          select 1 as n, id, u::text as line from old.users u
          union all select 2, id, m::text from old.meetings m
          union all select 3, id, s::text from old.meeting_sessions s
          union all select 4, id, t::text from old.transcriptions t
          union all select 5, ordinal_position, table_name || column_name || data_type
            from information_schema.columns where table_schema = 'old') all_rows order by n, id, line
        """);
  }

  private void run(String sql) {
    int _ = database.read(tx -> tx.sql(sql).update());
  }

  private List<String> lines(String sql) {
    return database.read(tx -> tx.sql(sql).list(resultRow -> resultRow.text("line")));
  }
}
