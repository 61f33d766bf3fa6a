package io.convoke.server.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.rooms.RoomClaims.RoomClaimMode;
import io.convoke.server.rooms.RoomClaims.RoomClaimPosition;
import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** Meetings that are older than the owners of rooms. */
class RoomClaimsTest {
  @Test
  void theMigrationGivesRoomsToTheUsersOfTheirOldestMeetings() {
    DatabaseUrl url = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS)) {
      int _ =
          Flyway.configure()
              .dataSource(database.dataSource())
              .schemas("convoke", "durable")
              .defaultSchema("convoke")
              .locations("classpath:db/migration")
              .target("43")
              .load()
              .migrate()
              .migrationsExecuted;
      long ann = user(database, "ann");
      long bob = user(database, "bob");
      long _ = meeting(database, bob, "daily", "shared", "completed", "2026-03-02");
      long _ = meeting(database, ann, "daily", "shared", "completed", "2026-03-01");
      long _ = meeting(database, bob, "daily", "bobs", "active", "2026-03-03");
      long _ = meeting(database, bob, "daily", "bobs", "completed", "2026-03-04");
      long _ = meeting(database, ann, "zoom", "123456789", "active", "2026-03-01");
      long _ = meeting(database, ann, "daily", "odd-*", "active", "2026-03-01");
      assertThat(Migrations.apply(database)).isPositive();

      List<RoomClaim> claims =
          new RoomClaims(database, RoomClaimMode.FIRST)
              .list(Optional.empty(), RoomClaimPosition.BEGIN, 10);
      assertThat(claims.stream().map(claim -> claim.room() + " " + claim.userId().orElseThrow()))
          .containsExactly("bobs " + bob, "shared " + ann);
      assertThat(claims.getLast().claimedAt()).hasToString("2026-03-01T00:00:00Z");
      assertThat(opensFromBefore(database)).containsExactly("bobs");
    }
  }

  @Test
  void liveMeetingsOfAnEarlierReleaseAreAdoptedOrEnded() {
    DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
    try (Database database = Database.open(url, 4, "test", Migrations.SCHEMAS)) {
      RoomClaims claims = new RoomClaims(database, RoomClaimMode.FIRST);
      long ann = user(database, "ann");
      long bob = user(database, "bob");
      RoomClaim _ =
          claims.assign(
              "daily",
              "team-*",
              new RoomOwner.RoomUser(ann),
              Optional.empty(),
              _ -> {},
              (_, _, _) -> {},
              "admin");
      long intruder = meeting(database, bob, "daily", "team-1", "active", "2026-03-01");
      long _ = meeting(database, ann, "daily", "team-2", "active", "2026-03-01");
      long _ = meeting(database, bob, "daily", "free", "active", "2026-03-01");
      long second = meeting(database, ann, "daily", "free", "active", "2026-03-02");
      long _ = meeting(database, bob, "google_meet", "abc-defg-hij", "active", "2026-03-01");
      long _ = meeting(database, bob, "daily", "team-3", "completed", "2026-03-01");

      List<Long> ended = new ArrayList<>();
      claims.adopt((_, meetings, _) -> ended.addAll(meetings));
      assertThat(ended).containsExactly(intruder, second);
      assertThat(claims.list(Optional.of(bob), RoomClaimPosition.BEGIN, 10))
          .extracting(RoomClaim::room)
          .containsExactly("free");
    }
  }

  private static List<String> opensFromBefore(Database database) {
    return database.read(
        tx ->
            tx.sql("select room from rooms where opens_at < claimed_at order by room")
                .list(resultRow -> resultRow.text("room")));
  }

  private static long user(Database database, String name) {
    return database.read(
        tx ->
            tx.sql("insert into users (email) values (?) returning id")
                .with(name + "@example.org")
                .one(resultRow -> resultRow.longAt("id")));
  }

  private static long meeting(
      Database database, long user, String platform, String room, String status, String day) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings
                      (user_id, platform, platform_specific_id, status, tracked, created_at)
                    values (?, ?, ?, ?, true, (? || ' 00:00Z')::timestamptz) returning id
                    """)
                .with(user, platform, room, status, day)
                .one(resultRow -> resultRow.longAt("id")));
  }
}
