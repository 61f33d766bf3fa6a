package io.convoke.server.presence;

import org.junit.jupiter.api.Tag;

/** The scenarios of docs/spec/presence.md on real stores, against the fake of Janus. */
@Tag("nightly")
class JanusScenariosTest extends ScenariosTest {
  @Override
  PresenceTestKit kit() {
    return PresenceTestKit.onJanus();
  }
}
