package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.e2e.journey.KeycloakServer;
import io.convoke.simulator.process.InstalledPrograms;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** People of a real Keycloak: their tokens, their sign-in to the console, and its keys. */
@Tag("nightly")
@Tag("heavy")
@Timeout(600)
class KeycloakTest {
  private static final Pattern FORM = Pattern.compile("<form[^>]* action=\"([^\"]+)\"");
  private static final Duration BOUND = Duration.ofSeconds(5);

  private static KeycloakServer keycloak;
  private static JourneyTestServer convoke;

  @BeforeAll
  @Timeout(600)
  static void start(@TempDir Path folder) throws Exception {
    int port = InstalledPrograms.freePort();
    keycloak = KeycloakServer.start(folder, "http://127.0.0.1:" + port + "/session/oidc/callback");
    convoke =
        JourneyTestServer.open(
            folder,
            Map.of(
                "CONVOKE_PORT", String.valueOf(port),
                "CONVOKE_OIDC_ISSUER", keycloak.issuer(),
                "CONVOKE_OIDC_CLIENT_ID", "convoke",
                "CONVOKE_OIDC_CLIENT_SECRET", "secret-of-the-client",
                "CONVOKE_OIDC_NAME", "Keycloak"));
  }

  @AfterAll
  static void stop() {
    if (convoke != null) {
      convoke.close();
    }
    if (keycloak != null) {
      keycloak.close();
    }
  }

  private static ApiUser bearer(String token) {
    return new ApiUser(convoke.server().url(), Map.of("Authorization", "Bearer " + token));
  }

  private static int status(ApiUser caller, String path) {
    try {
      return caller.get(path).status();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void tokensHaveTheRolesOfTheRealm() throws Exception {
    ApiUser vera = bearer(keycloak.tokenOf("vera"));
    ApiUser otto = bearer(keycloak.tokenOf("otto"));
    ApiUser ada = bearer(keycloak.tokenOf("ada"));
    String user = "{\"email\": \"of-%s@example.org\"}";
    String room = "{\"platform\": \"daily\", \"native_meeting_id\": \"of-%s\"}";
    long id = ada.post("/admin/users", user.formatted("ada")).body().path("id").asLong();
    assertThat(id).isPositive();
    assertThat(otto.post("/admin/users", user.formatted("otto")).status()).isEqualTo(403);
    assertThat(vera.get("/admin/users").status()).isEqualTo(200);
    String track = "/meetings?user_id=" + id;
    assertThat(vera.post(track, room.formatted("vera")).status()).isEqualTo(403);
    assertThat(otto.post(track, room.formatted("otto")).status()).isEqualTo(201);

    JsonNode entry = convoke.admin().get("/admin/audit?limit=1").body().at("/items/0");
    long ottosUser = otto.get("/session").body().path("user_id").asLong();
    assertThat(entry.path("actor").asString()).isEqualTo("operator:" + ottosUser);
    JsonNode named = convoke.admin().get("/admin/users/" + ottosUser).body();
    assertThat(named.path("email").asString()).isEqualTo("otto@example.org");
    assertThat(named.path("name").asString()).isEqualTo("Otto Operator");
  }

  @Test
  void tokensForAnotherClientAndOfStrangersAreRefused() throws Exception {
    assertThat(status(bearer(keycloak.tokenForAnother("ada")), "/admin/users")).isEqualTo(401);
    ApiUser una = bearer(keycloak.tokenOf("una"));
    ApiUser ulf = bearer(keycloak.tokenOf("ulf"));
    assertThat(status(ulf, "/meetings")).isEqualTo(401);
    for (String name : new String[] {"ulf", "una"}) {
      String body = "{\"email\": \"%s@example.org\"}".formatted(name);
      assertThat(convoke.admin().post("/admin/users", body).status()).isEqualTo(201);
    }
    assertThat(ulf.get("/session").body().path("role").asString()).isEqualTo("user");
    assertThat(status(ulf, "/admin/users")).isEqualTo(403);
    assertThat(status(una, "/meetings")).as("an address that is not verified").isEqualTo(401);
  }

  @Test
  void rotatedKeysAreReadAndASuspendedKeycloakHoldsNoTokenUp() throws Exception {
    String before = keycloak.tokenOf("vera");
    assertThat(status(bearer(before), "/meetings")).isEqualTo(200);
    keycloak.rotateKeys();
    String after = keycloak.tokenOf("vera");
    assertThat(kid(after)).isNotEqualTo(kid(before));
    assertThat(status(bearer(after), "/meetings")).isEqualTo(200);
    assertThat(status(bearer(before), "/meetings")).as("a key that is gone").isEqualTo(401);

    keycloak.pause(true);
    try {
      assertThat(status(bearer(after), "/meetings")).isEqualTo(200);
      assertThat(status(new ApiUser(convoke.server().url(), Map.of()), "/livez")).isEqualTo(200);
    } finally {
      keycloak.pause(false);
    }
  }

  private static String kid(String token) {
    String head =
        new String(
            java.util.Base64.getUrlDecoder().decode(token.split("\\.", 2)[0]),
            StandardCharsets.UTF_8);
    return head.replaceFirst(".*\"kid\" ?: ?\"([^\"]+)\".*", "$1");
  }

  @Test
  void aPersonSignsInByTheFormAndIsDisabled() throws Exception {
    HttpResponse<String> back = signIn("ada", "password-of-ada");
    assertThat(back.statusCode()).as(back.body()).isEqualTo(303);
    String session = back.headers().allValues("Set-Cookie").getFirst().split(";", 2)[0];
    ApiUser browser = new ApiUser(convoke.server().url(), Map.of("Cookie", session));
    JsonNode who = browser.get("/session").body();
    assertThat(who.path("operator_role").asString()).isEqualTo("admin");
    ApiUser byToken = bearer(keycloak.tokenOf("ada"));
    assertThat(byToken.get("/session").body().path("user_id"))
        .as("the same person")
        .isEqualTo(who.path("user_id"));

    String user = "/admin/users/" + who.path("user_id").asLong();
    assertThat(convoke.admin().patch(user, "{\"disabled\": true}").status()).isEqualTo(200);
    JourneyTestServer.await("401 by session", BOUND, () -> status(browser, "/session") == 401);
    JourneyTestServer.await("401 by token", BOUND, () -> status(byToken, "/session") == 401);
    assertThat(signIn("ada", "password-of-ada").statusCode()).isEqualTo(403);
    assertThat(convoke.admin().patch(user, "{\"disabled\": false}").status()).isEqualTo(200);
  }

  /** Our answer to the person who came back from Keycloak's form. */
  private static HttpResponse<String> signIn(String name, String password) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> begun =
          http.send(
              HttpRequest.newBuilder(URI.create(convoke.server().url() + "/session/oidc")).build(),
              BodyHandlers.ofString());
      assertThat(begun.statusCode()).isEqualTo(303);
      HttpResponse<String> page =
          http.send(HttpRequest.newBuilder(location(begun)).build(), BodyHandlers.ofString());
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      Matcher form = FORM.matcher(page.body());
      assertThat(form.find()).isTrue();
      HttpResponse<String> sent =
          http.send(
              HttpRequest.newBuilder(URI.create(form.group(1).replace("&amp;", "&")))
                  .header("Cookie", cookies(page))
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .POST(
                      BodyPublishers.ofString(
                          "username=" + name + "&password=" + encoded(password)))
                  .build(),
              BodyHandlers.ofString());
      assertThat(sent.statusCode()).as(sent.body()).isEqualTo(302);
      return http.send(
          HttpRequest.newBuilder(location(sent)).header("Cookie", cookies(begun)).build(),
          BodyHandlers.ofString());
    }
  }

  private static URI location(HttpResponse<String> response) {
    return URI.create(response.headers().firstValue("Location").orElseThrow());
  }

  private static String cookies(HttpResponse<String> response) {
    Map<String, String> byName = new LinkedHashMap<>();
    for (String cookie : response.headers().allValues("Set-Cookie")) {
      String pair = cookie.split(";", 2)[0];
      String _ = byName.put(pair.split("=", 2)[0], pair);
    }
    return byName.values().stream().collect(Collectors.joining("; "));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void theSignInPageLeadsToKeycloakAndBackToTheConsole() throws Exception {
    try (Chromium chromium = Chromium.start();
        ConsoleUser console =
            ConsoleUser.onDesktop(chromium.browser(), convoke.server().url(), ColorScheme.LIGHT)) {
      console.open("/");
      console.find("a[href='/session/oidc']").click();
      console.find("#username").fill("otto");
      console.find("#password").fill("password-of-otto");
      console.find("#kc-login").click();
      console.sees(console.find("h1"), "Overview");
      console.isSettled();
      console.page().reload();
      console.sees(console.find("h1"), "Overview");
      console.isSettled();
      assertThat(console.page().url()).doesNotContain("code=");
      console.find("button[aria-label='Sign out']").click();
      console.sees("Sign in with");
      assertThat(
              console.page().context().cookies().stream()
                  .filter(cookie -> cookie.name.startsWith("convoke")))
          .isEmpty();
    }
  }
}
