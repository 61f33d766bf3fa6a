package io.convoke.server.transcribe;

import io.convoke.engine.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A command that prints JSON lines. */
class CommandContractTest extends TranscriberContract {
  @Override
  Transcriber transcriber() throws IOException {
    Path lines =
        Files.write(
            folder.resolve("lines"),
            LINES.stream()
                .map(line -> Map.of("start", line.start(), "end", line.end(), "text", line.text()))
                .map(Json::write)
                .toList());
    return TranscriberFactory.of(
            "command:head -c 4 {audio} | grep -q RIFF || exit 65; cat " + lines, Optional.empty())
        .orElseThrow();
  }

  @Override
  Transcriber unreachable() {
    return TranscriberFactory.of("command:no-such-program {audio}", Optional.empty()).orElseThrow();
  }
}
