package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.snapshot.Layout.Box;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where tiles go: all of the picture, and none upon another. */
class LayoutTest {
  @Test
  void flatIsRowsOfEqualTiles() {
    assertThat(Layout.FLAT.places(1, 1280, 720)).containsExactly(new Box(0, 0, 1280, 720));
    assertThat(Layout.FLAT.places(2, 1280, 720))
        .containsExactly(new Box(0, 0, 640, 720), new Box(640, 0, 640, 720));
    assertThat(Layout.FLAT.places(3, 1280, 720))
        .containsExactly(
            new Box(0, 0, 640, 360), new Box(640, 0, 640, 360), new Box(0, 360, 1280, 360));
  }

  @Test
  void spotlightIsOneLargeAndARowOfOthers() {
    assertThat(Layout.SPOTLIGHT.places(1, 1280, 720)).containsExactly(new Box(0, 0, 1280, 720));
    assertThat(Layout.SPOTLIGHT.places(3, 1280, 720))
        .containsExactly(
            new Box(0, 0, 1280, 576), new Box(0, 576, 640, 144), new Box(640, 576, 640, 144));
  }

  @Test
  void everyNumberOfTilesFillsThePictureWithoutOverlap() {
    for (Layout layout : Layout.values()) {
      for (int count = 1; count <= Painter.TILES_MAX; count++) {
        List<Box> places = layout.places(count, 1280, 720);
        assertThat(places).hasSize(count);
        int[] covered = new int[1280 * 720];
        for (Box box : places) {
          for (int y = box.y(); y < box.y() + box.height(); y++) {
            for (int x = box.x(); x < box.x() + box.width(); x++) {
              covered[y * 1280 + x]++;
            }
          }
        }
        assertThat(covered).as("%s of %d", layout, count).containsOnly(1);
      }
    }
  }

  @Test
  void noTilesAreNoPlaces() {
    assertThat(Layout.FLAT.places(0, 1280, 720)).isEmpty();
    assertThat(Layout.SPOTLIGHT.places(0, 1280, 720)).isEmpty();
  }

  @Test
  void theSeedsNamesAndTheAncestorsOther() {
    assertThat(Layout.named("flat")).contains(Layout.FLAT);
    assertThat(Layout.named("grid")).contains(Layout.FLAT);
    assertThat(Layout.named("spotlight")).contains(Layout.SPOTLIGHT);
    assertThat(Layout.named("freestyle")).isEmpty();
  }
}
