package io.convoke.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.config.InvalidConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Where commands get their settings, and what they refuse of them. */
class CommandSettingsTest {
  @TempDir Path folder;

  @Test
  void aFileOfSettingsThatIsNamedMustBeThere() throws IOException {
    Path file = folder.resolve("convoke.yaml");
    ConfigFileOption option = new ConfigFileOption();
    assertThat(option.read()).as("without a name and a file").doesNotContainKey("CONVOKE_PORT");
    CommandLine.ParseResult _ = new CommandLine(option).parseArgs("--config", file.toString());

    assertThatThrownBy(option::read)
        .isInstanceOf(UsageException.class)
        .hasMessage(file + ", which --config names, cannot be read");

    Path _ = Files.writeString(file, "port: 9000\n");
    assertThat(option.read()).containsEntry("CONVOKE_PORT", "9000");
  }

  /** The settings of its sessions would stay with the pooler's connections, for others. */
  @Test
  void migrationsDoNotGoThroughAPoolerOfTransactions() throws IOException {
    assertThatThrownBy(
            () -> migrate("postgresql://convoke:x@127.0.0.1:1/convoke?pool_mode=transaction"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("CONVOKE_LISTEN_DATABASE_URL must be a way past the pooler");
    assertThatThrownBy(() -> migrate("mysql://convoke:s3cret@127.0.0.1:1/convoke"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("CONVOKE_DATABASE_URL: not a URL")
        .hasMessageNotContaining("s3cret");
  }

  private void migrate(String url) throws IOException {
    Path file =
        Files.writeString(folder.resolve("convoke.yaml"), "database.url: \"" + url + "\"\n");
    MigrateCommand command = new MigrateCommand();
    CommandLine.ParseResult _ = new CommandLine(command).parseArgs("--config", file.toString());
    Integer _ = command.call();
  }
}
