package io.convoke.agent.snapshot;

import io.convoke.agent.snapshot.TileLayout.TileBox;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;

/** Reads pixels of pictures. */
final class ImageInspector {
  private final BufferedImage image;

  ImageInspector(byte[] png) {
    try {
      this.image = ImageIO.read(new ByteArrayInputStream(png));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int width() {
    return image.getWidth();
  }

  int height() {
    return image.getHeight();
  }

  /** The colour in the middle of a tile, above its name. */
  Color tile(TileBox place) {
    TileBox tileBox = SnapshotRenderer.inner(place);
    return at(tileBox.x() + tileBox.width() / 2, tileBox.y() + tileBox.height() / 2);
  }

  /** Whether a tile has the speaker's frame all around it. */
  boolean framed(TileBox place) {
    TileBox tileBox = SnapshotRenderer.inner(place);
    int half = SnapshotRenderer.STROKE / 2;
    return at(tileBox.x() + half, tileBox.y() + tileBox.height() / 2).equals(SnapshotRenderer.FRAME)
        && at(tileBox.x() + tileBox.width() - half, tileBox.y() + tileBox.height() / 2)
            .equals(SnapshotRenderer.FRAME)
        && at(tileBox.x() + tileBox.width() / 2, tileBox.y() + half).equals(SnapshotRenderer.FRAME)
        && at(tileBox.x() + tileBox.width() / 2, tileBox.y() + tileBox.height() - half)
            .equals(SnapshotRenderer.FRAME);
  }

  /** How many pixels of a tile's name are ink. */
  int ink(TileBox place) {
    TileBox plate = SnapshotRenderer.nameplate(SnapshotRenderer.inner(place));
    int ink = 0;
    for (int y = plate.y(); y < plate.y() + plate.height(); y++) {
      for (int x = plate.x(); x < plate.x() + plate.width(); x++) {
        if (at(x, y).equals(SnapshotRenderer.INK)) {
          ink++;
        }
      }
    }
    return ink;
  }

  Color at(int x, int y) {
    return new Color(image.getRGB(x, y));
  }
}
