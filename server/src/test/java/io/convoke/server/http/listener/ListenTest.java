package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.NoKeys;
import io.convoke.server.http.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The listener's address: it is had, or there is no server. */
class ListenTest {

  @Test
  void portZeroIsAnyFreeOne() {
    try (TestServer server = TestServer.of()) {
      assertThat(server.server().port()).isPositive();
    }
  }

  @Test
  void aTakenPortFailsTheStart() {
    try (TestServer other = TestServer.of()) {
      int taken = other.server().port();
      assertThatThrownBy(() -> at("127.0.0.1", taken))
          .isInstanceOf(ListenFailure.class)
          .hasMessageContaining("127.0.0.1 port " + taken);
    }
  }

  @Test
  void aHostOfAnotherMachineFailsTheStart() {
    assertThatThrownBy(() -> at("192.0.2.1", 0))
        .isInstanceOf(ListenFailure.class)
        .hasMessageContaining("192.0.2.1");
  }

  @Test
  void aHostThatIsNoAddressFailsTheStartAndIsNamed() {
    assertThatThrownBy(() -> at("[no-address", 0))
        .isInstanceOf(ListenFailure.class)
        .hasMessageContaining("[no-address")
        .hasMessageContaining("CONVOKE_HOST");
  }

  /** Closed at once if it should listen after all. */
  private static void at(String host, int port) {
    HttpConfig terms = HttpConfig.at(host, port);
    TestServer.of(List.of(), terms, new NoKeys(), List.of()).close();
  }
}
