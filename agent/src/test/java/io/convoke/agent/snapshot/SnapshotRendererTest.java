package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.agent.snapshot.TileLayout.TileBox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pictures, looked at. */
class SnapshotRendererTest {
  private static final SnapshotTile ADA = new SnapshotTile("ada", "Ada Lovelace", false);
  private static final SnapshotTile BOB = new SnapshotTile("bob", "Bob", true);

  @Test
  void eachTileHasItsColourAndTheSpeakerAFrame() {
    ImageInspector picture =
        new ImageInspector(SnapshotRenderer.png(List.of(ADA, BOB), TileLayout.FLAT));
    List<TileBox> places = TileLayout.FLAT.places(2, 1280, 720);
    assertThat(picture.width()).isEqualTo(1280);
    assertThat(picture.height()).isEqualTo(720);
    assertThat(picture.tile(places.get(0))).isEqualTo(SnapshotRenderer.colour("ada"));
    assertThat(picture.tile(places.get(1))).isEqualTo(SnapshotRenderer.colour("bob"));
    assertThat(picture.framed(places.get(0))).isFalse();
    assertThat(picture.framed(places.get(1))).isTrue();
    assertThat(picture.at(640, 360)).isEqualTo(SnapshotRenderer.BACKDROP);
  }

  @Test
  void namesAreWritten() {
    assumeThat(SnapshotRenderer.letters()).as("a machine with fonts").isTrue();
    ImageInspector picture =
        new ImageInspector(
            SnapshotRenderer.png(
                List.of(
                    ADA,
                    BOB,
                    new SnapshotTile("c", "", false),
                    new SnapshotTile("d", "W".repeat(500), false)),
                TileLayout.FLAT));
    List<TileBox> places = TileLayout.FLAT.places(4, 1280, 720);
    assertThat(picture.ink(places.get(0))).isGreaterThan(picture.ink(places.get(1)));
    assertThat(picture.ink(places.get(1))).isPositive();
    assertThat(picture.ink(places.get(2))).isZero();
    assertThat(picture.tile(places.get(3))).isEqualTo(SnapshotRenderer.colour("d"));
  }

  @Test
  void theSameTilesAreTheSamePicture() {
    assertThat(SnapshotRenderer.png(List.of(ADA, BOB), TileLayout.SPOTLIGHT))
        .isEqualTo(SnapshotRenderer.png(List.of(ADA, BOB), TileLayout.SPOTLIGHT))
        .isNotEqualTo(SnapshotRenderer.png(List.of(BOB, ADA), TileLayout.SPOTLIGHT));
  }

  @Test
  void anEmptyRoomIsAPictureToo() {
    ImageInspector picture = new ImageInspector(SnapshotRenderer.png(List.of(), TileLayout.FLAT));
    assertThat(picture.at(10, 10)).isEqualTo(SnapshotRenderer.BACKDROP);
  }

  @Test
  void aCrowdIsCountedOnTheLastTile() {
    List<SnapshotTile> crowd = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      crowd.add(new SnapshotTile("u" + i, "U", false));
    }
    ImageInspector picture = new ImageInspector(SnapshotRenderer.png(crowd, TileLayout.FLAT));
    List<TileBox> places = TileLayout.FLAT.places(SnapshotRenderer.TILES_MAX, 1280, 720);
    assertThat(picture.tile(places.get(47))).isEqualTo(SnapshotRenderer.colour("u47"));
    assertThat(picture.tile(places.get(48))).isEqualTo(SnapshotRenderer.colour(""));
  }
}
