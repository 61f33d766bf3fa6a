package io.convoke.server.launch.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A bot of the SDK for TypeScript. */
final class TypeScriptBotContractTest extends SdkBotContract {
  @TempDir private static Path build;

  @BeforeAll
  @Timeout(600)
  static void build() throws Exception {
    Path client = home().resolve("clients/typescript");
    for (String name :
        List.of("package.json", "package-lock.json", "tsconfig.json", "tsconfig.test.json")) {
      Path _ = Files.copy(client.resolve(name), build.resolve(name));
    }
    copy(client, "src");
    copy(client, "test");
    need(build, "npm", "ci", "--no-audit", "--no-fund");
    need(build, "npm", "exec", "--", "tsc", "-p", "tsconfig.test.json");
  }

  private static void copy(Path client, String folder) throws IOException {
    Path target = Files.createDirectory(build.resolve(folder));
    try (Stream<Path> files = Files.list(client.resolve(folder))) {
      for (Path file : files.toList()) {
        Path _ =
            Files.copy(
                file, target.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  @Override
  String command() {
    return "node " + build.resolve("build/test/contract-bot.js");
  }
}
