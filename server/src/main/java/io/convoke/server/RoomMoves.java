package io.convoke.server;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotsFeature;
import io.convoke.server.dispatch.DispatchFeature;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.rooms.RoomClaims;
import java.util.List;

/**
 * What ends when a room changes hands: meetings, bots and egress of those whose it was.
 *
 * @param egress whether tasks of type {@code egress} are about rooms
 */
record RoomMoves(
    Database database,
    MeetingStore meetings,
    BotsFeature bots,
    DispatchFeature tasks,
    boolean egress)
    implements RoomClaims.DisplacedMeetings {
  @Override
  public void end(Tx tx, List<Long> ids, String actor) {
    meetings.endTracking(tx, ids, actor);
    bots.stop(tx, ids, actor);
  }

  /**
   * Looks again after the commit, for a task that was accepted meanwhile. One that was checked
   * before and is accepted later still is stopped when its first transition is recorded.
   */
  @Override
  public void moved(Tx tx) {
    if (egress) {
      tasks.stop(tx, EgressFeature.displaced(tx));
      tx.afterCommit(
          () -> database.run(later -> tasks.stop(later, EgressFeature.displaced(later))));
    }
  }
}
