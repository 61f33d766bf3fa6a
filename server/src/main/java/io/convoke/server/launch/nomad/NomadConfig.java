package io.convoke.server.launch.nomad;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.launch.TlsConfig;
import java.net.URI;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Where bots are dispatched.
 *
 * @param job the id of the parameterized job
 * @param region of that job; the region of the agent at the address without it
 * @param fleet label of the bots: two installations with one job need two
 * @param trust the authority of Nomad's certificates and our own certificate; the system's
 *     authorities and none without it
 */
public record NomadConfig(
    URI address,
    String job,
    Optional<String> namespace,
    Optional<String> region,
    Optional<String> token,
    String fleet,
    Optional<SSLContext> trust) {
  /** Reads the settings, which name an address and a job for this launcher. */
  public static NomadConfig of(ServerConfig config) {
    return new NomadConfig(
        config.get(Settings.NOMAD_ADDR).orElseThrow(),
        config.get(Settings.NOMAD_JOB).orElseThrow(),
        config.get(Settings.NOMAD_NAMESPACE),
        config.get(Settings.NOMAD_REGION),
        config.get(Settings.NOMAD_TOKEN),
        config.get(Settings.BOT_FLEET),
        TlsConfig.context(
            config, Settings.NOMAD_CA_FILE, Settings.NOMAD_CERT_FILE, Settings.NOMAD_KEY_FILE));
  }

  @Override
  public String toString() {
    return "NomadConfig[" + address + ", " + job + "]";
  }
}
