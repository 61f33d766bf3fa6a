package io.convoke.server.crm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The check of HubSpot's properties before a note is converted. */
class HubSpotCrmTest {
  private static final String TOKEN = "the-token";

  private final FakeCrm standIn = new FakeCrm(TOKEN);
  private final CrmConnector crmConnector =
      CrmConnectorFactory.hubSpot(
          standIn.hubSpotUrl(), Optional.of(TOKEN), Optional.empty(), RateLimiter.unlimited());

  @AfterEach
  void close() {
    crmConnector.close();
    standIn.close();
  }

  @Test
  void anAccountWithThePropertyLacksNothing() throws Exception {
    assertThat(crmConnector.lacks()).isEmpty();
    assertThat(standIn.complaints()).isEmpty();
  }

  @Test
  void aPropertyThatIsMissingIsNamed() throws Exception {
    standIn.idProperty(false);
    assertThat(crmConnector.lacks())
        .hasValueSatisfying(why -> assertThat(why).contains("convoke_recording_id"));
    standIn.idProperty(true);
    assertThat(crmConnector.lacks()).isEmpty();
  }

  @Test
  void anAccountThatDoesNotLetUsLookIsNotRefused() throws Exception {
    try (CrmConnector stranger =
        CrmConnectorFactory.hubSpot(
            standIn.hubSpotUrl(),
            Optional.of("another-token"),
            Optional.empty(),
            RateLimiter.unlimited())) {
      assertThat(stranger.lacks()).isEmpty();
    }
  }

  @Test
  void anAccountThatDoesNotAnswerIsAskedTheNextTime() throws Exception {
    standIn.faults().next("GET", new RequestFaults.RequestFault.RefuseRequest(429));
    standIn.faults().next("GET", new RequestFaults.RequestFault.RefuseRequest(503));
    assertThatThrownBy(crmConnector::lacks)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("429");
    assertThatThrownBy(crmConnector::lacks)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("503");
    assertThat(crmConnector.lacks()).isEmpty();
    try (CrmConnector unreachable =
        CrmConnectorFactory.hubSpot(
            URI.create("http://127.0.0.1:1"),
            Optional.of(TOKEN),
            Optional.empty(),
            RateLimiter.unlimited())) {
      assertThatThrownBy(unreachable::lacks).isInstanceOf(IOException.class);
    }
  }
}
