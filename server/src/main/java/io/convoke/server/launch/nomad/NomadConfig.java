package io.convoke.server.launch.nomad;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.net.URI;
import java.util.Optional;

/**
 * Where bots are dispatched.
 *
 * @param job the id of the parameterized job
 * @param fleet label of the bots: two installations with one job need two
 */
public record NomadConfig(
    URI address, String job, Optional<String> namespace, Optional<String> token, String fleet) {
  /** Reads the settings, which name an address and a job for this launcher. */
  public static NomadConfig of(ServerConfig config) {
    return new NomadConfig(
        config.get(Settings.NOMAD_ADDR).orElseThrow(),
        config.get(Settings.NOMAD_JOB).orElseThrow(),
        config.get(Settings.NOMAD_NAMESPACE),
        config.get(Settings.NOMAD_TOKEN),
        config.get(Settings.BOT_FLEET));
  }

  @Override
  public String toString() {
    return "NomadConfig[" + address + ", " + job + "]";
  }
}
