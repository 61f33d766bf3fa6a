package io.convoke.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.webserver.WebServerConfig;
import org.junit.jupiter.api.Test;

/** A reference with a slower listener than Convoke's would be a ceiling that is too low. */
final class ReferenceServerTest {
  @Test
  void referencesListenAsTheServerDoes() {
    WebServerConfig.Builder listener = ReferenceServer.listener();

    assertThat(listener.useNio()).isFalse();
    assertThat(listener.protocolsDiscoverServices()).isFalse();
    assertThat(listener.connectionOptions().orElseThrow().tcpNoDelay()).isTrue();
  }
}
