package io.convoke.simulator.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The employees of an office and their kinds of meetings; read from {@code office.yaml}. */
record SimulatedOffice(List<String> staff, List<String> guests, List<OfficeMeetingKind> meetings) {

  /**
   * One kind of meeting; ranges are pairs, both ends included.
   *
   * @param room the prefix of its rooms' names
   * @param recorded the probability of a recording
   */
  record OfficeMeetingKind(
      String room,
      String title,
      List<Integer> minutes,
      List<Integer> staff,
      List<Integer> guests,
      double recorded,
      List<String> lines) {}

  static SimulatedOffice load() {
    try (InputStream in = SimulatedOffice.class.getResourceAsStream("office.yaml")) {
      return YAMLMapper.builder()
          .build()
          .readValue(Objects.requireNonNull(in), SimulatedOffice.class);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
