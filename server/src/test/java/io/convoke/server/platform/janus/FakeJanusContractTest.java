package io.convoke.server.platform.janus;

import io.convoke.fakes.janus.FakeJanus;
import io.convoke.fakes.janus.JanusServer;
import java.net.URI;

class FakeJanusContractTest extends JanusContract {
  @Override
  JanusServer start(URI events) {
    FakeJanus janus = new FakeJanus();
    janus.postEventsTo(events);
    return janus;
  }
}
