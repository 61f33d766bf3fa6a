package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.fakes.crm.FakeCrm;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A user connects a HubSpot account from the console, by way of HubSpot. */
@Tag("heavy")
@Tag("nightly")
class CrmConnectionConsoleTest {
  private static final String NETWORK = "Failed to load resource";

  @TempDir private static Path folder;

  @Test
  void aUserConnectsAnAccountFromThePaletteAndDisconnectsIt() throws Exception {
    try (FakeCrm crm = new FakeCrm("the-crm-token");
        JourneyTestServer server =
            JourneyTestServer.open(
                folder,
                Map.of(
                    "CONVOKE_CRM_KIND",
                    "hubspot",
                    "CONVOKE_CRM_URL",
                    crm.hubSpotUrl().toString(),
                    "CONVOKE_HUBSPOT_CLIENT_ID",
                    "app-1",
                    "CONVOKE_HUBSPOT_CLIENT_SECRET",
                    "app-secret",
                    "CONVOKE_HUBSPOT_AUTHORIZE_URL",
                    crm.hubSpotUrl() + "/oauth/authorize"));
        Chromium chromium = Chromium.start();
        ConsoleUser consoleUser =
            ConsoleUser.onDesktop(chromium.browser(), server.server().url(), ColorScheme.LIGHT)) {
      String key = server.key("olivia@example.org");
      ApiUser olivia = new ApiUser(server.server().url(), Map.of("X-API-Key", key));
      ConsoleUser _ = consoleUser.open("/meetings", key);
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      choose(consoleUser, "connect a hubspot");
      consoleUser.page().waitForURL(url -> !url.contains("/oauth/") && !url.endsWith("/meetings"));
      consoleUser.sees(consoleUser.find("h1"), "Meetings");
      assertThat(olivia.get("/crm/connection").body().path("account_id").asString())
          .isEqualTo("1001");
      choose(consoleUser, "disconnect the hubspot");
      consoleUser.sees(consoleUser.find(".toast"), "Its tokens are forgotten.");
      assertThat(olivia.get("/crm/connection").body().path("connected").asBoolean()).isFalse();
      assertThat(crm.complaints()).isEmpty();
      consoleUser.hadNoErrorsExcept(NETWORK, "net::ERR");
    }
  }

  private static void choose(ConsoleUser consoleUser, String command) {
    consoleUser.press("Control+k");
    consoleUser.type(command);
    consoleUser.press("Enter");
  }
}
