package io.convoke.server.launch.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.orchestrator.kubernetes.FakeKubernetes;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherContract;
import io.convoke.server.launch.ScriptedBot;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Pods of a fake of Kubernetes. */
final class KubernetesContractTest extends LauncherContract {
  private static FakeKubernetes cluster;

  @BeforeAll
  static void openCluster() {
    cluster = new FakeKubernetes(ScriptedBot.SCRIPT);
  }

  @AfterAll
  static void closeCluster() {
    cluster.close();
  }

  @AfterEach
  void noComplaints() {
    assertThat(cluster.complaints()).isEmpty();
  }

  @Override
  protected Launcher open() {
    return new KubernetesLauncher(terms(cluster, "test"), InstantSource.system());
  }

  /** A stopped pod leaves the API with its exit code. */
  @Override
  protected boolean remembersForOthers() {
    return false;
  }

  @Override
  protected void takeAway() {
    cluster.shut();
  }

  @Override
  protected void bringBack() {
    cluster.open();
  }

  @Override
  protected String strangeHandle(String ofAnother) {
    return PodRef.parse(ofAnother)
        .map(bot -> new PodRef(bot.namespace(), bot.name(), "another-uid"))
        .orElseThrow()
        .toString();
  }

  static KubernetesConfig terms(FakeKubernetes cluster, String fleet) {
    return new KubernetesConfig(
        cluster.url(),
        FakeKubernetes.NAMESPACE,
        () -> Optional.of(FakeKubernetes.TOKEN),
        Optional.empty(),
        fleet,
        new BotImage(
            "registry.example.org/bot:1",
            BotImage.ImagePullPolicy.MISSING,
            Optional.of(512L << 20),
            Optional.of(0.5)));
  }
}
