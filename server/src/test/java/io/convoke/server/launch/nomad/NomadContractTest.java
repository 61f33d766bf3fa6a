package io.convoke.server.launch.nomad;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.orchestrator.nomad.FakeNomad;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherContract;
import io.convoke.server.launch.ScriptedBot;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Dispatched jobs of a fake of Nomad. */
final class NomadContractTest extends LauncherContract {
  private static FakeNomad nomad;

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
    return "nomad:" + FakeNomad.JOB + "/dispatch-1600000000-00000000";
  }

  static FakeNomad standIn(Duration killTimeout) {
    return new FakeNomad(ScriptedBot.SCRIPT, Set.copyOf(NomadLauncher.META), killTimeout);
  }

  static NomadConfig terms(FakeNomad nomad, String fleet) {
    return new NomadConfig(
        nomad.url(),
        FakeNomad.JOB,
        Optional.of(FakeNomad.NAMESPACE),
        Optional.of(FakeNomad.REGION),
        Optional.of(FakeNomad.TOKEN),
        fleet,
        Optional.empty());
  }
}
