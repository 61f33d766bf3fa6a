package io.convoke.server.config;

import static io.convoke.server.config.Setting.optional;
import static io.convoke.server.config.Setting.setting;
import static io.convoke.server.config.Setting.text;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The settings of Vexa's bot image. */
public final class VexaSettings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Optional<URI>> TRANSCRIPTION_URL =
      add(
          optional(
              "CONVOKE_BOT_TRANSCRIPTION_URL",
              "speech-to-text service with OpenAI's API that Vexa's image transcribes with, from"
                  + " 0.10 on; without it there are no live words",
              SettingParsers.url("http", "https")));
  public static final Setting<Optional<String>> TRANSCRIPTION_KEY =
      add(
          text("CONVOKE_BOT_TRANSCRIPTION_KEY", "bearer key of that service; given to the bots")
              .asSecret());
  public static final Setting<Boolean> RECORDING =
      add(
          setting(
              "CONVOKE_BOT_RECORDING",
              "false",
              "whether bots record the sound of meetings and upload it here: Vexa's image from 0.9"
                  + " on, and those that hear each person apart",
              SettingParsers::flag));

  private VexaSettings() {}

  static List<Setting<?>> all() {
    return ALL;
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
