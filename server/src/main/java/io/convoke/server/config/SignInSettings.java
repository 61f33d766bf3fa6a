package io.convoke.server.config;

import static io.convoke.server.config.Setting.optional;
import static io.convoke.server.config.Setting.setting;
import static io.convoke.server.config.Setting.text;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The settings of the OpenID Connect identity provider by which people sign in. */
public final class SignInSettings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Optional<URI>> OIDC_ISSUER =
      add(
          optional(
              "CONVOKE_OIDC_ISSUER",
              "OpenID Connect issuer by which people sign in, exactly as its tokens name it, such as"
                  + " `https://id.example.org/realms/acme`",
              SettingParsers::server));
  public static final Setting<Optional<String>> OIDC_CLIENT_ID =
      add(text("CONVOKE_OIDC_CLIENT_ID", "our client at that issuer; needed with it"));
  public static final Setting<Optional<String>> OIDC_CLIENT_SECRET =
      add(
          text("CONVOKE_OIDC_CLIENT_SECRET", "secret of that client; none for a public client")
              .asSecret());
  public static final Setting<Optional<String>> OIDC_AUDIENCE =
      add(
          text(
              "CONVOKE_OIDC_AUDIENCE",
              "audience that a bearer token of the issuer must name; the client without it"));
  public static final Setting<String> OIDC_ROLES_CLAIM =
      add(
          setting(
              "CONVOKE_OIDC_ROLES_CLAIM",
              "realm_access.roles",
              "claim that lists a person's roles or groups; dots lead into objects",
              text -> text));
  public static final Setting<String> OIDC_VIEWER_ROLE =
      add(
          setting(
              "CONVOKE_OIDC_VIEWER_ROLE",
              "convoke-viewer",
              "role there of people who read everything",
              text -> text));
  public static final Setting<String> OIDC_OPERATOR_ROLE =
      add(
          setting(
              "CONVOKE_OIDC_OPERATOR_ROLE",
              "convoke-operator",
              "role there of people who also act, and manage no users, keys, rooms or webhooks",
              text -> text));
  public static final Setting<String> OIDC_ADMIN_ROLE =
      add(
          setting(
              "CONVOKE_OIDC_ADMIN_ROLE",
              "convoke-admin",
              "role there of people who may do everything",
              text -> text));
  public static final Setting<String> OIDC_NAME =
      add(
          setting(
              "CONVOKE_OIDC_NAME",
              "single sign-on",
              "what the console's sign-in page calls the issuer",
              text -> text));
  public static final Setting<Duration> OIDC_SESSION =
      add(
          setting(
              "CONVOKE_OIDC_SESSION",
              "8h",
              "how long a console session by the issuer lasts, 12 h at most; a role that was taken"
                  + " away counts until then",
              SettingParsers::interval));

  private SignInSettings() {}

  static List<Setting<?>> all() {
    return ALL;
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
