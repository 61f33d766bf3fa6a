package io.convoke.server.crm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.orchestra.Faults;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What HubSpot is asked before anything is put into its words. */
class HubSpotCrmTest {
  private static final String TOKEN = "the-token";

  private final CrmStandIn standIn = new CrmStandIn(TOKEN);
  private final Crm crm = Crms.hubSpot(standIn.hubSpotUrl(), Optional.of(TOKEN));

  @AfterEach
  void close() {
    crm.close();
    standIn.close();
  }

  @Test
  void anAccountWithThePropertyLacksNothing() throws Exception {
    assertThat(crm.lacks()).isEmpty();
    assertThat(standIn.complaints()).isEmpty();
  }

  @Test
  void aPropertyThatIsMissingIsNamed() throws Exception {
    standIn.idProperty(false);
    assertThat(crm.lacks())
        .hasValueSatisfying(why -> assertThat(why).contains("convoke_recording_id"));
    standIn.idProperty(true);
    assertThat(crm.lacks()).isEmpty();
  }

  @Test
  void anAccountThatDoesNotLetUsLookIsNotRefused() throws Exception {
    try (Crm stranger = Crms.hubSpot(standIn.hubSpotUrl(), Optional.of("another-token"))) {
      assertThat(stranger.lacks()).isEmpty();
    }
  }

  @Test
  void anAccountThatDoesNotAnswerIsAskedTheNextTime() throws Exception {
    standIn.faults().next("GET", new Faults.Fault.Fail(429));
    standIn.faults().next("GET", new Faults.Fault.Fail(503));
    assertThatThrownBy(crm::lacks).isInstanceOf(IOException.class).hasMessageContaining("429");
    assertThatThrownBy(crm::lacks).isInstanceOf(IOException.class).hasMessageContaining("503");
    assertThat(crm.lacks()).isEmpty();
    try (Crm nobody = Crms.hubSpot(URI.create("http://127.0.0.1:1"), Optional.of(TOKEN))) {
      assertThatThrownBy(nobody::lacks).isInstanceOf(IOException.class);
    }
  }
}
