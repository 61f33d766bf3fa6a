package io.convoke.server.platform.janus;

import io.convoke.fakes.janus.InstalledJanus;
import io.convoke.fakes.janus.JanusServer;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the Janus of this machine. */
@NeedsJanus
@Tag("nightly")
class InstalledJanusContractTest extends JanusContract {
  @TempDir private Path folder;

  @Override
  JanusServer start(URI events) {
    return new InstalledJanus(folder, events);
  }
}
