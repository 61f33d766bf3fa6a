package io.convoke.server.launch.nomad;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.orchestra.nomad.NomadStandIn;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherContract;
import io.convoke.server.launch.ScriptedBot;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Dispatched jobs of a stand-in for Nomad. */
final class NomadContractTest extends LauncherContract {
  private static NomadStandIn nomad;

  @BeforeAll
  static void openNomad() {
    nomad = standIn(Duration.ofMinutes(1));
  }

  @AfterAll
  static void closeNomad() {
    nomad.close();
  }

  @AfterEach
  void noComplaints() {
    assertThat(nomad.complaints()).isEmpty();
  }

  @Override
  protected Launcher open() {
    return new NomadLauncher(terms(nomad, "test"));
  }

  @Override
  protected void takeAway() {
    nomad.shut();
  }

  @Override
  protected void bringBack() {
    nomad.open();
  }

  @Override
  protected String strangeHandle(String ofAnother) {
    return "nomad:" + NomadStandIn.JOB + "/dispatch-1600000000-00000000";
  }

  static NomadStandIn standIn(Duration killTimeout) {
    return new NomadStandIn(ScriptedBot.SCRIPT, Set.copyOf(NomadLauncher.META), killTimeout);
  }

  static NomadTerms terms(NomadStandIn nomad, String fleet) {
    return new NomadTerms(
        nomad.url(),
        NomadStandIn.JOB,
        Optional.of(NomadStandIn.NAMESPACE),
        Optional.of(NomadStandIn.TOKEN),
        fleet);
  }
}
