package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.room.RoomEvent;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The participants of a picture, from the room's events. */
class RoomStateTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final RoomState roomState = new RoomState("self", 0);

  @Test
  void allOthersInTheOrderOfTheirArrival() {
    snapshot();
    see("participant-joined", "{'session_id': 'c', 'user_id': 'cleo', 'user_name': 'Cleo'}", 1);
    see("participant-left", "{'session_id': 'a'}", 2);
    assertThat(roomState.tiles(TileLayout.FLAT, List.of(), 3))
        .containsExactly(
            new SnapshotTile("b", "Bob", false), new SnapshotTile("cleo", "Cleo", false));
  }

  @Test
  void onlyThoseWhoWereAskedForInThatOrder() {
    snapshot();
    see("participant-joined", "{'session_id': 'c', 'user_id': 'cleo', 'user_name': null}", 1);
    assertThat(roomState.tiles(TileLayout.FLAT, List.of("cleo", "nobody", "ada"), 2))
        .containsExactly(
            new SnapshotTile("cleo", "", false), new SnapshotTile("ada", "Ada", false));
  }

  @Test
  void aNewListOfPeopleTakesThePlaceOfTheLast() {
    see("participant-joined", "{'session_id': 'c', 'user_id': 'cleo', 'user_name': 'Cleo'}", 0);
    snapshot();
    assertThat(roomState.tiles(TileLayout.FLAT, List.of(), 1))
        .extracting(SnapshotTile::name)
        .containsExactly("Ada", "Bob");
  }

  @Test
  void aSpeakerHasAFrameForAMomentAndTheSpotlightUntilAnotherSpeaks() {
    snapshot();
    see("caption", "{'session_id': 'b', 'text': 'hello'}", SECOND);
    assertThat(roomState.tiles(TileLayout.FLAT, List.of(), 2 * SECOND))
        .containsExactly(new SnapshotTile("ada", "Ada", false), new SnapshotTile("b", "Bob", true));
    assertThat(roomState.tiles(TileLayout.SPOTLIGHT, List.of(), 60 * SECOND))
        .containsExactly(
            new SnapshotTile("b", "Bob", false), new SnapshotTile("ada", "Ada", false));
  }

  @Test
  void theFrameOfASpeakerEndsFiveSecondsAfterTheirLastWords() {
    snapshot();
    see("caption", "{'session_id': 'b', 'text': 'hello'}", SECOND);
    assertThat(roomState.tiles(TileLayout.FLAT, List.of(), 6 * SECOND - 1).getLast().speaking())
        .isTrue();
    assertThat(roomState.tiles(TileLayout.FLAT, List.of(), 6 * SECOND).getLast().speaking())
        .isFalse();
  }

  @Test
  void inTheLobbyThereIsNothingToSee() {
    see("snapshot", "{'state': 'waiting', 'participants': []}", 0);
    assertThat(roomState.open()).isFalse();
    snapshot();
    assertThat(roomState.open()).isTrue();
  }

  @Test
  void patienceIsLongerForThoseWhoHaveNotComeThanForThoseWhoLeft() {
    Duration came = Duration.ofMinutes(10);
    Duration left = Duration.ofMinutes(1);
    see("snapshot", "{'state': 'in_meeting', 'participants': []}", 0);
    assertThat(roomState.patience(came, left, SECOND)).contains(came.minusSeconds(1));
    snapshot();
    assertThat(roomState.patience(came, left, 2 * SECOND)).isEmpty();
    see("participant-left", "{'session_id': 'a'}", 3 * SECOND);
    see("participant-left", "{'session_id': 'b'}", 4 * SECOND);
    assertThat(roomState.patience(came, left, 5 * SECOND)).contains(left.minusSeconds(1));
  }

  private void snapshot() {
    see(
        "snapshot",
        """
        {'state': 'in_meeting', 'participants': [
         {'session_id': 'a', 'user_id': 'ada', 'user_name': 'Ada'},
         {'session_id': 'self', 'user_name': 'snapshot-1'},
         {'session_id': 'b', 'user_id': null, 'user_name': 'Bob'}]}
        """,
        0);
  }

  private void see(String name, String data, long now) {
    roomState.see(new RoomEvent(name, Json.read(data.replace('\'', '"'))), now);
  }
}
