package io.convoke.server.cli;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "pod-key",
    mixinStandardHelpOptions = true,
    description =
        "Prints CONVOKE_POD_KEY, which derives from CONVOKE_SECRET_KEY and opens tokens of tasks"
            + " alone.")
final class PodKeyCommand implements Callable<Integer> {
  @Mixin private ConfigFileOption config = new ConfigFileOption();

  @Override
  public Integer call() {
    String keys =
        ServerConfig.each(config.read())
            .get(Settings.SECRET_KEY)
            .orElseThrow(() -> new UsageException("CONVOKE_SECRET_KEY is missing"));
    System.out.println(AccessTokenSealer.forPods(SecretBox.parse(keys)).text());
    return 0;
  }
}
