package io.convoke.server.launch.nomad;

import java.net.URI;
import java.util.Optional;

/**
 * Where bots are dispatched.
 *
 * @param job the id of the parameterized job
 * @param fleet whose bots they are: two installations with one job need two names
 */
public record NomadConfig(
    URI address, String job, Optional<String> namespace, Optional<String> token, String fleet) {
  @Override
  public String toString() {
    return "NomadConfig[" + address + ", " + job + "]";
  }
}
