package io.convoke.agent.snapshot;

import io.convoke.agent.snapshot.TileLayout.TileBox;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Draws tiles: each in its own colour with the name below, the speakers in a bright frame. The same
 * tiles give the same pixels. On a machine without any font the names are missing.
 */
final class SnapshotRenderer {
  static final int WIDTH = 1280;
  static final int HEIGHT = 720;

  /** What does not fit is counted on the last tile. */
  static final int TILES_MAX = 49;

  static final Color BACKDROP = new Color(0x15, 0x17, 0x1c);
  static final Color FRAME = new Color(0x3d, 0xdc, 0x84);
  static final Color INK = Color.WHITE;

  /** Half of the gap between two tiles. */
  static final int GAP = 4;

  static final int STROKE = 8;

  private static final Logger log = LoggerFactory.getLogger(SnapshotRenderer.class);
  private static final boolean LETTERS = hasLetters();

  private SnapshotRenderer() {}

  /** Whether names can be written here. */
  static boolean letters() {
    return LETTERS;
  }

  /** A PNG of {@value #WIDTH} by {@value #HEIGHT} pixels. */
  static byte[] png(List<SnapshotTile> tiles, TileLayout tileLayout) {
    BufferedImage picture = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = picture.createGraphics();
    try {
      pen.setRenderingHint(
          RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
      pen.setColor(BACKDROP);
      pen.fillRect(0, 0, WIDTH, HEIGHT);
      draw(pen, fitting(tiles), tileLayout);
    } finally {
      pen.dispose();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      ImageIO.setUseCache(false);
      boolean _ = ImageIO.write(picture, "png", bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return bytes.toByteArray();
  }

  /** The colour of a participant's tile. */
  static Color colour(String key) {
    int mixed = key.hashCode() * 0x9E3779B9;
    return Color.getHSBColor((mixed >>> 8 & 0xffff) / 65536f, 0.55f, 0.5f);
  }

  private static List<SnapshotTile> fitting(List<SnapshotTile> tiles) {
    if (tiles.size() <= TILES_MAX) {
      return tiles;
    }
    List<SnapshotTile> fitting = new ArrayList<>(tiles.subList(0, TILES_MAX - 1));
    fitting.add(new SnapshotTile("", "+" + (tiles.size() - fitting.size()), false));
    return fitting;
  }

  private static void draw(Graphics2D pen, List<SnapshotTile> tiles, TileLayout tileLayout) {
    if (tiles.isEmpty()) {
      write(pen, "no participants", new TileBox(0, HEIGHT / 2 - 20, WIDTH, 40));
      return;
    }
    List<TileBox> places = tileLayout.places(tiles.size(), WIDTH, HEIGHT);
    for (int i = 0; i < tiles.size(); i++) {
      draw(pen, tiles.get(i), inner(places.get(i)));
    }
  }

  private static void draw(Graphics2D pen, SnapshotTile snapshotTile, TileBox tileBox) {
    pen.setColor(colour(snapshotTile.key()));
    pen.fillRect(tileBox.x(), tileBox.y(), tileBox.width(), tileBox.height());
    if (snapshotTile.speaking()) {
      pen.setColor(FRAME);
      pen.setStroke(new BasicStroke(STROKE));
      int half = STROKE / 2;
      pen.drawRect(
          tileBox.x() + half,
          tileBox.y() + half,
          tileBox.width() - STROKE,
          tileBox.height() - STROKE);
    }
    write(pen, snapshotTile.name(), nameplate(tileBox));
  }

  /** Where the name of a tile is written. */
  static TileBox nameplate(TileBox tileBox) {
    int height = Math.max(14, Math.min(40, tileBox.height() / 5));
    int bottom = tileBox.y() + tileBox.height() - STROKE - 4;
    return new TileBox(
        tileBox.x() + STROKE + 4,
        bottom - height,
        Math.max(0, tileBox.width() - 2 * STROKE - 8),
        height);
  }

  /** A tile without the gap around it. */
  static TileBox inner(TileBox place) {
    return new TileBox(
        place.x() + GAP,
        place.y() + GAP,
        Math.max(1, place.width() - 2 * GAP),
        Math.max(1, place.height() - 2 * GAP));
  }

  private static void write(Graphics2D pen, String words, TileBox tileBox) {
    if (words.isEmpty() || !LETTERS) {
      return;
    }
    pen.setFont(new Font(Font.SANS_SERIF, Font.BOLD, tileBox.height() * 7 / 10));
    FontMetrics metrics = pen.getFontMetrics();
    String fitting = words;
    while (fitting.length() > 1 && metrics.stringWidth(fitting) > tileBox.width()) {
      fitting = fitting.substring(0, fitting.offsetByCodePoints(fitting.length(), -1));
    }
    pen.setColor(INK);
    pen.drawString(fitting, tileBox.x(), tileBox.y() + tileBox.height() - metrics.getDescent());
  }

  /** A JDK without fonts, or without the library that reads them, throws an error here. */
  private static boolean hasLetters() {
    Graphics2D pen = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
    try {
      return pen.getFontMetrics(new Font(Font.SANS_SERIF, Font.BOLD, 12)).stringWidth("A") > 0;
    } catch (RuntimeException | LinkageError | InternalError e) {
      log.warn("this machine has no fonts: snapshots show no names ({})", e.toString());
      return false;
    } finally {
      pen.dispose();
    }
  }
}
