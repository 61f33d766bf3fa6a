package io.convoke.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import io.convoke.server.doctor.DoctorFinding.FindingLevel;
import io.convoke.server.platform.janus.JanusConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JanusChecksTest {
  private final FakeJanus janus = new FakeJanus();

  @AfterEach
  void close() {
    janus.close();
  }

  private List<DoctorFinding> check(String secret, String key) {
    return JanusChecks.check(
        Optional.of(new JanusConfig(janus.adminUrl(), secret, key, JanusConfig.DEFAULT_TIMEOUT)),
        true);
  }

  @Test
  void withoutAJanusThereIsNothingToCheck() {
    assertThat(JanusChecks.check(Optional.empty(), false))
        .containsExactly(DoctorFinding.ok("janus", "no Janus"));
  }

  @Test
  void eachSecretThatIsWrongIsNamed() {
    assertThat(check(JanusServer.ADMIN_SECRET, JanusServer.ADMIN_KEY))
        .extracting(DoctorFinding::level)
        .containsExactly(FindingLevel.OK);
    assertThat(check("wrong", JanusServer.ADMIN_KEY))
        .singleElement()
        .satisfies(it -> assertThat(it.text()).contains("CONVOKE_JANUS_ADMIN_SECRET"));
    assertThat(check(JanusServer.ADMIN_SECRET, "wrong"))
        .singleElement()
        .satisfies(it -> assertThat(it.text()).contains("CONVOKE_JANUS_ADMIN_KEY"));
  }

  @Test
  void aJanusThatIsAwayAndAJanusWithoutAKeyAreFaults() {
    janus.withoutAdminKey();
    assertThat(check(JanusServer.ADMIN_SECRET, JanusServer.ADMIN_KEY))
        .singleElement()
        .satisfies(it -> assertThat(it.text()).contains("has no admin_key"));
    janus.close();
    assertThat(check(JanusServer.ADMIN_SECRET, JanusServer.ADMIN_KEY))
        .singleElement()
        .satisfies(it -> assertThat(it.text()).contains("no answer"));
  }

  @Test
  void aFolderOfRecordingsThatIsNotThereIsAFault(@TempDir Path folder) {
    assertThat(JanusChecks.recordings(Optional.empty())).isEmpty();
    assertThat(JanusChecks.recordings(Optional.of(folder.toString())))
        .extracting(DoctorFinding::level)
        .containsExactly(FindingLevel.OK);
    assertThat(JanusChecks.recordings(Optional.of(folder.resolve("none").toString())))
        .extracting(DoctorFinding::level)
        .containsExactly(FindingLevel.FAULT);
  }
}
