package io.convoke.server.config;

import static io.convoke.server.config.Setting.optional;
import static io.convoke.server.config.Setting.text;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The settings of a Janus whose rooms are meetings. */
public final class JanusSettings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Optional<URI>> JANUS_ADMIN_URL =
      add(
          optional(
              "CONVOKE_JANUS_ADMIN_URL",
              "admin API of a Janus, such as `http://janus:7088/admin`; its rooms are then meetings"
                  + " of platform `janus`",
              SettingParsers::server));
  public static final Setting<Optional<String>> JANUS_ADMIN_SECRET =
      add(text("CONVOKE_JANUS_ADMIN_SECRET", "its `admin_secret`; needed with it").asSecret());
  public static final Setting<Optional<String>> JANUS_ADMIN_KEY =
      add(
          text(
                  "CONVOKE_JANUS_ADMIN_KEY",
                  "the `admin_key` of its VideoRoom plugin: opens private rooms and makes rooms;"
                      + " needed with it")
              .asSecret());
  public static final Setting<Optional<String>> JANUS_EVENT_SECRET =
      add(
          text(
                  "CONVOKE_JANUS_EVENT_SECRET",
                  "`backend_pwd` of its sample event handler, which posts to `/webhooks/janus`;"
                      + " without it participants are found by polls alone")
              .asSecret());

  public static final Setting<Optional<URI>> JANUS_URL =
      add(
          optional(
              "CONVOKE_JANUS_URL",
              "its API for clients, such as `http://janus:8088/janus`; with it users make rooms"
                  + " that people join in their browser",
              SettingParsers::server));
  public static final Setting<Optional<String>> JANUS_API_SECRET =
      add(text("CONVOKE_JANUS_API_SECRET", "its `api_secret`").asSecret());
  public static final Setting<Optional<String>> JANUS_RECORDINGS =
      add(
          text(
              "CONVOKE_JANUS_RECORDINGS",
              "the folder in which it records, under the same path for it and for every server;"
                  + " rooms can be recorded then"));
  public static final Setting<Optional<URI>> PUBLIC_URL =
      add(
          optional(
              "CONVOKE_PUBLIC_URL",
              "where browsers reach this server, for the links of rooms; without it they have the"
                  + " address of the request",
              SettingParsers.url("http", "https")));

  private JanusSettings() {}

  static List<Setting<?>> all() {
    return ALL;
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
