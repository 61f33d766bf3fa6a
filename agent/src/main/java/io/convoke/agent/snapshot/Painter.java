package io.convoke.agent.snapshot;

import io.convoke.agent.snapshot.Layout.Box;
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
final class Painter {
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

  private static final Logger log = LoggerFactory.getLogger(Painter.class);
  private static final boolean LETTERS = hasLetters();

  private Painter() {}

  /** Whether names can be written here. */
  static boolean letters() {
    return LETTERS;
  }

  /** A PNG of {@value #WIDTH} by {@value #HEIGHT} pixels. */
  static byte[] png(List<Tile> tiles, Layout layout) {
    BufferedImage picture = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = picture.createGraphics();
    try {
      pen.setRenderingHint(
          RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
      pen.setColor(BACKDROP);
      pen.fillRect(0, 0, WIDTH, HEIGHT);
      draw(pen, fitting(tiles), layout);
    } finally {
      pen.dispose();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      ImageIO.setUseCache(false);
      boolean _ = ImageIO.write(picture, "png", bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /** The colour of a participant's tile. */
  static Color colour(String key) {
    int mixed = key.hashCode() * 0x9E3779B9;
    return Color.getHSBColor((mixed >>> 8 & 0xffff) / 65536f, 0.55f, 0.5f);
  }

  private static List<Tile> fitting(List<Tile> tiles) {
    if (tiles.size() <= TILES_MAX) {
      return tiles;
    }
    List<Tile> fitting = new ArrayList<>(tiles.subList(0, TILES_MAX - 1));
    fitting.add(new Tile("", "+" + (tiles.size() - fitting.size()), false));
    return fitting;
  }

  private static void draw(Graphics2D pen, List<Tile> tiles, Layout layout) {
    if (tiles.isEmpty()) {
      write(pen, "nobody is here", new Box(0, HEIGHT / 2 - 20, WIDTH, 40));
      return;
    }
    List<Box> places = layout.places(tiles.size(), WIDTH, HEIGHT);
    for (int i = 0; i < tiles.size(); i++) {
      draw(pen, tiles.get(i), inner(places.get(i)));
    }
  }

  private static void draw(Graphics2D pen, Tile tile, Box box) {
    pen.setColor(colour(tile.key()));
    pen.fillRect(box.x(), box.y(), box.width(), box.height());
    if (tile.speaking()) {
      pen.setColor(FRAME);
      pen.setStroke(new BasicStroke(STROKE));
      int half = STROKE / 2;
      pen.drawRect(box.x() + half, box.y() + half, box.width() - STROKE, box.height() - STROKE);
    }
    write(pen, tile.name(), nameplate(box));
  }

  /** Where the name of a tile is written. */
  static Box nameplate(Box box) {
    int height = Math.max(14, Math.min(40, box.height() / 5));
    int bottom = box.y() + box.height() - STROKE - 4;
    return new Box(
        box.x() + STROKE + 4, bottom - height, Math.max(0, box.width() - 2 * STROKE - 8), height);
  }

  /** A tile without the gap around it. */
  static Box inner(Box place) {
    return new Box(
        place.x() + GAP,
        place.y() + GAP,
        Math.max(1, place.width() - 2 * GAP),
        Math.max(1, place.height() - 2 * GAP));
  }

  private static void write(Graphics2D pen, String words, Box box) {
    if (words.isEmpty() || !LETTERS) {
      return;
    }
    pen.setFont(new Font(Font.SANS_SERIF, Font.BOLD, box.height() * 7 / 10));
    FontMetrics metrics = pen.getFontMetrics();
    String fitting = words;
    while (fitting.length() > 1 && metrics.stringWidth(fitting) > box.width()) {
      fitting = fitting.substring(0, fitting.offsetByCodePoints(fitting.length(), -1));
    }
    pen.setColor(INK);
    pen.drawString(fitting, box.x(), box.y() + box.height() - metrics.getDescent());
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
