package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.agent.snapshot.Layout.Box;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pictures, looked at. */
class PainterTest {
  private static final Tile ADA = new Tile("ada", "Ada Lovelace", false);
  private static final Tile BOB = new Tile("bob", "Bob", true);

  @Test
  void eachTileHasItsColourAndTheSpeakerAFrame() {
    Look picture = new Look(Painter.png(List.of(ADA, BOB), Layout.FLAT));
    List<Box> places = Layout.FLAT.places(2, 1280, 720);
    assertThat(picture.width()).isEqualTo(1280);
    assertThat(picture.height()).isEqualTo(720);
    assertThat(picture.tile(places.get(0))).isEqualTo(Painter.colour("ada"));
    assertThat(picture.tile(places.get(1))).isEqualTo(Painter.colour("bob"));
    assertThat(picture.framed(places.get(0))).isFalse();
    assertThat(picture.framed(places.get(1))).isTrue();
    assertThat(picture.at(640, 360)).isEqualTo(Painter.BACKDROP);
  }

  @Test
  void namesAreWritten() {
    assumeThat(Painter.letters()).as("a machine with fonts").isTrue();
    Look picture =
        new Look(
            Painter.png(
                List.of(ADA, BOB, new Tile("c", "", false), new Tile("d", "W".repeat(500), false)),
                Layout.FLAT));
    List<Box> places = Layout.FLAT.places(4, 1280, 720);
    assertThat(picture.ink(places.get(0))).isGreaterThan(picture.ink(places.get(1)));
    assertThat(picture.ink(places.get(1))).isPositive();
    assertThat(picture.ink(places.get(2))).isZero();
    assertThat(picture.tile(places.get(3))).isEqualTo(Painter.colour("d"));
  }

  @Test
  void theSameTilesAreTheSamePicture() {
    assertThat(Painter.png(List.of(ADA, BOB), Layout.SPOTLIGHT))
        .isEqualTo(Painter.png(List.of(ADA, BOB), Layout.SPOTLIGHT))
        .isNotEqualTo(Painter.png(List.of(BOB, ADA), Layout.SPOTLIGHT));
  }

  @Test
  void anEmptyRoomIsAPictureToo() {
    Look picture = new Look(Painter.png(List.of(), Layout.FLAT));
    assertThat(picture.at(10, 10)).isEqualTo(Painter.BACKDROP);
  }

  @Test
  void aCrowdIsCountedOnTheLastTile() {
    List<Tile> crowd = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      crowd.add(new Tile("u" + i, "U", false));
    }
    Look picture = new Look(Painter.png(crowd, Layout.FLAT));
    List<Box> places = Layout.FLAT.places(Painter.TILES_MAX, 1280, 720);
    assertThat(picture.tile(places.get(47))).isEqualTo(Painter.colour("u47"));
    assertThat(picture.tile(places.get(48))).isEqualTo(Painter.colour(""));
  }
}
