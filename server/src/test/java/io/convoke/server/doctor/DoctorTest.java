package io.convoke.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MachineLocales;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.doctor.DoctorFinding.FindingLevel;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Healthy stores have no fault; each fault is found and told with what to do. */
class DoctorTest {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final InstantSource CLOCK = InstantSource.system();
  private static final InstantSource FAST = () -> InstantSource.system().instant().plusSeconds(5);

  private static final String DATABASE = MigratedDatabase.url();

  private static DatabaseChecks database(String url) {
    return database(url, 30, CLOCK);
  }

  private static DatabaseChecks database(String url, int connections, InstantSource clock) {
    return new DatabaseChecks(
        DatabaseUrl.parse(url), DatabaseUrl.parse(url), connections, true, SHORT, clock);
  }

  private static List<String> faults(List<DoctorFinding> findings) {
    return texts(findings, FindingLevel.FAULT);
  }

  private static List<String> texts(List<DoctorFinding> findings, FindingLevel level) {
    return findings.stream()
        .filter(finding -> finding.level() == level)
        .map(DoctorFinding::text)
        .toList();
  }

  @Test
  void healthyStoresHaveNoFault() {
    List<DoctorFinding> findings =
        new DatabaseChecks(
                DatabaseUrl.parse(DATABASE),
                DatabaseUrl.parse(DATABASE),
                30,
                true,
                Duration.ofSeconds(20),
                CLOCK)
            .check();
    assertThat(faults(findings)).isEmpty();
    assertThat(texts(findings, FindingLevel.OK))
        .anyMatch(text -> text.contains("schema up to date"))
        .contains(
            "sessions have their settings",
            "notifications arrive",
            "no TLS, on this machine",
            "its clock agrees with this machine's");
    URI redis = URI.create(LocalStores.forTests().redis().url());
    assertThat(new RedisChecks("redis", redis, CLOCK).check())
        .extracting(DoctorFinding::text)
        .contains(
            "maxmemory-policy is noeviction",
            "no TLS, on this machine",
            "its clock agrees with this machine's");
  }

  @Test
  void adminsHaveATokenOrARoleAtTheIssuer() {
    assertThat(AdminChecks.check(true, false, "").level()).isEqualTo(FindingLevel.OK);
    assertThat(AdminChecks.check(false, true, "convoke-admin").level()).isEqualTo(FindingLevel.OK);
    assertThat(AdminChecks.check(false, true, "").level()).isEqualTo(FindingLevel.FAULT);
    assertThat(AdminChecks.check(false, false, "convoke-admin").level())
        .isEqualTo(FindingLevel.FAULT);
  }

  @Test
  void redisThatEvictsIsAFault() {
    try (EmbeddedRedis own = LocalStores.forTests().ownRedis();
        Redis redis = Redis.open(own.url())) {
      String _ = redis.call(commands -> commands.configSet("maxmemory-policy", "allkeys-lru"));
      assertThat(faults(new RedisChecks("redis", URI.create(own.url()), CLOCK).check()))
          .singleElement()
          .asString()
          .contains("allkeys-lru", "set noeviction");
    }
  }

  @Test
  void aRedisWithoutTheCommandsThatServersCallIsAFault() {
    assertThat(RedisChecks.version("redis", false, "6.0.16"))
        .isEqualTo(
            DoctorFinding.fault(
                "redis", "Redis 6.2 or newer is needed, this is 6.0.16: upgrade it"));
    assertThat(RedisChecks.version("redis", false, "5.0.14").level()).isEqualTo(FindingLevel.FAULT);
    assertThat(List.of("6.2.0", "6.2", "7.2.4", "10.0.0"))
        .allSatisfy(
            version ->
                assertThat(RedisChecks.version("redis", true, version))
                    .isEqualTo(DoctorFinding.ok("redis", "a cluster, version " + version)));
    assertThat(RedisChecks.version("redis", false, "unknown").level()).isEqualTo(FindingLevel.WARN);
  }

  @Test
  void clocksThatDisagreeAreAFault() {
    assertThat(faults(database(DATABASE, 30, FAST).check()))
        .anyMatch(text -> text.contains("ms behind this machine's: synchronize"));
    URI redis = URI.create(LocalStores.forTests().redis().url());
    assertThat(faults(new RedisChecks("redis", redis, FAST).check()))
        .singleElement()
        .asString()
        .contains("ms behind this machine's: synchronize");
  }

  @Test
  void connectionsThatDoNotFitAreAFaultAndTooFewForTwoServersAWarning() {
    assertThat(faults(database(DATABASE, 20_000, CLOCK).check()))
        .anyMatch(text -> text.contains("opens up to 20000: raise max_connections"));
    int most = maxConnections();
    assertThat(texts(database(DATABASE, most * 2 / 3, CLOCK).check(), FindingLevel.WARN))
        .anyMatch(text -> text.contains("too few for two servers"));
  }

  private static int maxConnections() {
    try (Database database =
        Database.open(DatabaseUrl.parse(DATABASE), 1, "test", Migrations.SCHEMAS)) {
      return database.read(
          tx ->
              tx.sql("select current_setting('max_connections')::int as most")
                  .one(resultRow -> resultRow.intAt("most")));
    }
  }

  @Test
  void aListenerOnAnotherDatabaseIsAFault() {
    List<DoctorFinding> findings =
        new DatabaseChecks(
                DatabaseUrl.parse(DATABASE),
                DatabaseUrl.parse(MigratedDatabase.url()),
                30,
                true,
                SHORT,
                CLOCK)
            .check();
    assertThat(faults(findings))
        .singleElement()
        .asString()
        .contains("notifications do not arrive", "CONVOKE_LISTEN_DATABASE_URL");
  }

  @Test
  void sessionsWithoutTheirSettingsAreAFault() {
    String bare = DATABASE + "?options=-c%20statement_timeout%3D0";
    assertThat(faults(database(bare).check()))
        .anyMatch(text -> text.contains("no statement_timeout") && text.contains("alter role"));
  }

  @Test
  void aDatabaseWhoseSearchKnowsAsciiAloneIsAWarning() throws SQLException {
    EmbeddedPostgres postgres = LocalStores.forTests().postgres();
    try (Connection connection = postgres.connect("postgres");
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("create database ascii_alone template template0 lc_ctype 'C'");
    }
    assertThat(texts(database(postgres.url("ascii_alone")).check(), FindingLevel.WARN))
        .anyMatch(text -> text.contains("lc_ctype 'C.UTF-8'"));
    MachineLocales.assumeLettersBeyondAscii();
    assertThat(texts(database(DATABASE).check(), FindingLevel.OK))
        .contains("search knows letters beyond ASCII");
  }

  @Test
  void pendingMigrationsAreAFaultWhereServersDoNotApplyThem() {
    DatabaseUrl empty = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());
    Duration enough = Duration.ofSeconds(20);
    List<DoctorFinding> first = new DatabaseChecks(empty, empty, 30, true, enough, CLOCK).check();
    assertThat(texts(first, FindingLevel.WARN))
        .anyMatch(text -> text.contains("a server applies them at its start"));
    assertThat(faults(first)).as("of a new database").isEmpty();
    assertThat(faults(new DatabaseChecks(empty, empty, 30, false, enough, CLOCK).check()))
        .singleElement()
        .asString()
        .contains("run convoke migrate");
  }

  @Test
  void aRoleWithoutRightsIsAFaultAndASuperuserAWarning() {
    assertThat(texts(database(DATABASE).check(), FindingLevel.WARN))
        .anyMatch(text -> text.startsWith("the role is a superuser"));
    String url = MigratedDatabase.url();
    run(
        url,
        "create role onlooker login password 'secret'",
        "grant usage on schema convoke, durable to onlooker",
        "grant select on all tables in schema convoke, durable to onlooker");
    List<DoctorFinding> findings = database(as("onlooker", url)).check();
    assertThat(faults(findings))
        .as("%s", findings)
        .anyMatch(text -> text.contains("grant select, insert, update, delete"));
    assertThat(texts(findings, FindingLevel.WARN)).anyMatch(text -> text.contains("--no-migrate"));
  }

  @Test
  void aRoleThatMayReadNothingIsAFaultAndTheOtherChecksGoOn() {
    String url = MigratedDatabase.url();
    run(url, "create role stranger login password 'secret'");
    List<DoctorFinding> findings = database(as("stranger", url)).check();
    assertThat(faults(findings))
        .as("%s", findings)
        .anyMatch(
            text ->
                text.startsWith("which migrations were applied cannot be read, ERROR: permission")
                    && text.endsWith("and select on all their tables"))
        .anyMatch(text -> text.startsWith("the role may not read and write all tables"));
    assertThat(texts(findings, FindingLevel.OK)).contains("sessions have their settings");
  }

  /** A server of this release does not start on them, as after a rollback too far. */
  @Test
  void tablesThatNeedANewerReleaseAreAFault() {
    String url = MigratedDatabase.url();
    run(url, "update convoke.schema_compatibility set compatible_from = 100000");
    assertThat(faults(database(url).check()))
        .anyMatch(
            text ->
                text.startsWith("the tables need a release with migration 100000;")
                    && text.endsWith(": run a release as new as the tables"));
  }

  /** Nodes of workflows take their numbers from one, which the rights on tables do not cover. */
  @Test
  void aRoleWithoutRightsOnSequencesIsAFault() {
    String url = MigratedDatabase.url();
    run(
        url,
        "create role writer login password 'secret'",
        "grant usage, create on schema convoke, durable to writer",
        "grant select, insert, update, delete on all tables in schema convoke, durable to writer");
    String refused =
        "the role may not use all sequences: grant usage on all sequences in schema convoke,"
            + " durable";
    assertThat(faults(database(as("writer", url)).check())).contains(refused);
    run(url, "grant usage on all sequences in schema convoke, durable to writer");
    List<DoctorFinding> findings = database(as("writer", url)).check();
    assertThat(faults(findings)).doesNotContain(refused);
    assertThat(texts(findings, FindingLevel.OK)).contains("the role has the rights it needs");
  }

  private static void run(String url, String... statements) {
    try (Database database = Database.open(DatabaseUrl.parse(url), 1, "test", Migrations.SCHEMAS)) {
      for (String statement : statements) {
        database.run(
            tx -> {
              int _ = tx.sql(statement).update();
            });
      }
    }
  }

  private static String as(String role, String url) {
    return url.replaceFirst("//[^@]*@", "//" + role + ":secret@");
  }

  @Test
  void trafficThatLeavesTheMachineWithoutTlsIsAWarning() {
    String elsewhere = DATABASE.replaceFirst("@[^:/]+", "@0.0.0.0");
    assertThat(texts(database(elsewhere).check(), FindingLevel.WARN))
        .anyMatch(text -> text.contains("sslmode=verify-full"));
    String redis = LocalStores.forTests().redis().url().replaceFirst("127\\.0\\.0\\.1", "0.0.0.0");
    assertThat(texts(new RedisChecks("redis", URI.create(redis), CLOCK).check(), FindingLevel.WARN))
        .anyMatch(text -> text.contains("rediss://"));
  }

  @Tag("nightly")
  @Test
  void aStoreThatIsAwayIsAFaultWithItsReason() {
    assertThat(faults(database("postgresql://convoke:x@127.0.0.1:1/convoke").check()))
        .singleElement()
        .asString()
        .contains("check its address");
    DatabaseUrl closed = DatabaseUrl.parse("postgresql://convoke:x@127.0.0.1:1/convoke");
    List<DoctorFinding> findings =
        new DatabaseChecks(DatabaseUrl.parse(DATABASE), closed, 30, true, SHORT, CLOCK).check();
    assertThat(faults(findings))
        .as("%s", findings)
        .anyMatch(text -> text.endsWith(": check CONVOKE_LISTEN_DATABASE_URL"));
    assertThat(texts(findings, FindingLevel.OK)).contains("sessions have their settings");
    assertThat(faults(new RedisChecks("redis", URI.create("redis://127.0.0.1:1"), CLOCK).check()))
        .singleElement()
        .asString()
        .contains("check its address");
  }

  @Test
  void aDataFolderThatOthersReadOrThatIsNoneIsFound(@TempDir Path folder) throws IOException {
    Path data = folder.resolve("data");
    assertThat(FolderChecks.check(data).level()).isEqualTo(FindingLevel.OK);
    Path _ = Files.createDirectory(data);
    Path _ = Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    assertThat(FolderChecks.check(data).level()).isEqualTo(FindingLevel.OK);
    Path _ = Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(FolderChecks.check(data).text()).contains("chmod 700");
    assertThat(FolderChecks.check(data).level()).isEqualTo(FindingLevel.WARN);
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(FolderChecks.check(file).level()).isEqualTo(FindingLevel.FAULT);
    assertThat(FolderChecks.check(file.resolve("data")).level()).isEqualTo(FindingLevel.FAULT);
  }

  @Test
  void aMissingFfmpegIsAWarningWhereATranscriberNeedsIt() {
    DoctorFinding missing = MediaChecks.check("no-such-ffmpeg", true);
    assertThat(missing.level()).isEqualTo(FindingLevel.WARN);
    assertThat(missing.text()).contains("media_tool_missing", "CONVOKE_FFMPEG");
    assertThat(MediaChecks.check("no-such-ffmpeg", false).level()).isEqualTo(FindingLevel.OK);
    // Any program is found as ffmpeg would be.
    assertThat(MediaChecks.check("sh", true).level()).isEqualTo(FindingLevel.OK);
  }
}
