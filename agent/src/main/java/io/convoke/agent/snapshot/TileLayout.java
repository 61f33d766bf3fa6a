package io.convoke.agent.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The layouts of a picture's tiles. */
enum TileLayout {
  /** All tiles of one size, in rows; the default. */
  FLAT {
    @Override
    List<TileBox> places(int count, int width, int height) {
      return grid(count, new TileBox(0, 0, width, height));
    }
  },

  /** The first tile large, the others in a row below it. */
  SPOTLIGHT {
    @Override
    List<TileBox> places(int count, int width, int height) {
      if (count < 2) {
        return grid(count, new TileBox(0, 0, width, height));
      }
      int stage = height * 4 / 5;
      List<TileBox> places = new ArrayList<>(count);
      places.add(new TileBox(0, 0, width, stage));
      places.addAll(row(count - 1, new TileBox(0, stage, width, height - stage)));
      return places;
    }
  };

  /** A part of the picture, in pixels from its upper left corner. */
  record TileBox(int x, int y, int width, int height) {}

  /** One place for each of so many tiles, in their order; together they fill the picture. */
  abstract List<TileBox> places(int count, int width, int height);

  /** {@code flat}, also called {@code grid}, and {@code spotlight}. */
  static Optional<TileLayout> named(String name) {
    return switch (name) {
      case "flat", "grid" -> Optional.of(FLAT);
      case "spotlight" -> Optional.of(SPOTLIGHT);
      default -> Optional.empty();
    };
  }

  private static List<TileBox> grid(int count, TileBox whole) {
    int columns = (int) Math.ceil(Math.sqrt(count));
    List<TileBox> places = new ArrayList<>(count);
    int rows = columns == 0 ? 0 : (count + columns - 1) / columns;
    for (int row = 0; row < rows; row++) {
      int top = whole.height() * row / rows;
      int bottom = whole.height() * (row + 1) / rows;
      int inRow = Math.min(columns, count - row * columns);
      places.addAll(row(inRow, new TileBox(whole.x(), top, whole.width(), bottom - top)));
    }
    return places;
  }

  private static List<TileBox> row(int count, TileBox whole) {
    List<TileBox> places = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int left = whole.x() + whole.width() * i / count;
      int right = whole.x() + whole.width() * (i + 1) / count;
      places.add(new TileBox(left, whole.y(), right - left, whole.height()));
    }
    return places;
  }
}
