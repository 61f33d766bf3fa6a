package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.snapshot.TileLayout.TileBox;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tiles fill the picture and do not overlap. */
class TileLayoutTest {
  @Test
  void flatIsRowsOfEqualTiles() {
    assertThat(TileLayout.FLAT.places(1, 1280, 720)).containsExactly(new TileBox(0, 0, 1280, 720));
    assertThat(TileLayout.FLAT.places(2, 1280, 720))
        .containsExactly(new TileBox(0, 0, 640, 720), new TileBox(640, 0, 640, 720));
    assertThat(TileLayout.FLAT.places(3, 1280, 720))
        .containsExactly(
            new TileBox(0, 0, 640, 360),
            new TileBox(640, 0, 640, 360),
            new TileBox(0, 360, 1280, 360));
  }

  @Test
  void spotlightIsOneLargeAndARowOfOthers() {
    assertThat(TileLayout.SPOTLIGHT.places(1, 1280, 720))
        .containsExactly(new TileBox(0, 0, 1280, 720));
    assertThat(TileLayout.SPOTLIGHT.places(2, 1280, 720))
        .containsExactly(new TileBox(0, 0, 1280, 576), new TileBox(0, 576, 1280, 144));
    assertThat(TileLayout.SPOTLIGHT.places(3, 1280, 720))
        .containsExactly(
            new TileBox(0, 0, 1280, 576),
            new TileBox(0, 576, 640, 144),
            new TileBox(640, 576, 640, 144));
  }

  @Test
  @Tag("nightly")
  void everyNumberOfTilesFillsThePictureWithoutOverlap() {
    for (TileLayout tileLayout : TileLayout.values()) {
      for (int count = 1; count <= SnapshotRenderer.TILES_MAX; count++) {
        List<TileBox> places = tileLayout.places(count, 1280, 720);
        assertThat(places).hasSize(count);
        int[] covered = new int[1280 * 720];
        for (TileBox tileBox : places) {
          for (int y = tileBox.y(); y < tileBox.y() + tileBox.height(); y++) {
            for (int x = tileBox.x(); x < tileBox.x() + tileBox.width(); x++) {
              covered[y * 1280 + x]++;
            }
          }
        }
        assertThat(covered).as("%s of %d", tileLayout, count).containsOnly(1);
      }
    }
  }

  @Test
  void noTilesAreNoPlaces() {
    assertThat(TileLayout.FLAT.places(0, 1280, 720)).isEmpty();
    assertThat(TileLayout.SPOTLIGHT.places(0, 1280, 720)).isEmpty();
  }

  @Test
  void layoutNamesAndTheirAliases() {
    assertThat(TileLayout.named("flat")).contains(TileLayout.FLAT);
    assertThat(TileLayout.named("grid")).contains(TileLayout.FLAT);
    assertThat(TileLayout.named("spotlight")).contains(TileLayout.SPOTLIGHT);
    assertThat(TileLayout.named("freestyle")).isEmpty();
  }
}
