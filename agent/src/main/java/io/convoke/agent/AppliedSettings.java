package io.convoke.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a bot did with new settings.
 *
 * @param applied the names of those that hold now
 * @param notApplied those that it cannot change, each with the reason
 */
public record AppliedSettings(List<String> applied, Map<String, String> notApplied) {
  /** The names of settings that a command may change. */
  static final List<String> NAMES = List.of("language", "task", "bot_name");

  /** A bot that can change nothing while it runs. */
  public static AppliedSettings none(BotCommand change, String reason) {
    return of(change, List.of(), reason);
  }

  /**
   * Of the settings that a command names, those that the bot could apply.
   *
   * @param reason why it cannot apply others
   */
  public static AppliedSettings of(BotCommand change, List<String> able, String reason) {
    List<String> applied = new ArrayList<>();
    Map<String, String> notApplied = new LinkedHashMap<>();
    for (String name : NAMES) {
      if (change.setting(name).isPresent()) {
        if (able.contains(name)) {
          applied.add(name);
        } else {
          notApplied.put(name, reason);
        }
      }
    }
    return new AppliedSettings(applied, notApplied);
  }

  Map<String, Object> json() {
    return Map.of(
        "applied",
        applied,
        "not_applied",
        notApplied.entrySet().stream()
            .map(entry -> Map.of("setting", entry.getKey(), "reason", entry.getValue()))
            .toList());
  }
}
