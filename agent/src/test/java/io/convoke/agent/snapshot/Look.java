package io.convoke.agent.snapshot;

import io.convoke.agent.snapshot.Layout.Box;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;

/** Eyes for pictures. */
final class Look {
  private final BufferedImage image;

  Look(byte[] png) {
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
  Color tile(Box place) {
    Box box = Painter.inner(place);
    return at(box.x() + box.width() / 2, box.y() + box.height() / 2);
  }

  /** Whether a tile has the speaker's frame all around it. */
  boolean framed(Box place) {
    Box box = Painter.inner(place);
    int half = Painter.STROKE / 2;
    return at(box.x() + half, box.y() + box.height() / 2).equals(Painter.FRAME)
        && at(box.x() + box.width() - half, box.y() + box.height() / 2).equals(Painter.FRAME)
        && at(box.x() + box.width() / 2, box.y() + half).equals(Painter.FRAME)
        && at(box.x() + box.width() / 2, box.y() + box.height() - half).equals(Painter.FRAME);
  }

  /** How many pixels of a tile's name are ink. */
  int ink(Box place) {
    Box plate = Painter.nameplate(Painter.inner(place));
    int ink = 0;
    for (int y = plate.y(); y < plate.y() + plate.height(); y++) {
      for (int x = plate.x(); x < plate.x() + plate.width(); x++) {
        if (at(x, y).equals(Painter.INK)) {
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
