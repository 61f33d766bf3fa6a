package io.convoke.server.http.listener;

import io.convoke.server.http.HttpConfig;
import java.net.UnknownHostException;

/** The listener's address cannot be had: another process has the port, or the host is elsewhere. */
public final class ListenFailure extends RuntimeException {
  ListenFailure(HttpConfig terms) {
    super(
        "cannot listen on %s port %d: the log above has the reason; CONVOKE_HOST and CONVOKE_PORT"
                .formatted(terms.host(), terms.port())
            + " choose another address");
  }

  ListenFailure(HttpConfig terms, UnknownHostException unknown) {
    super(
        "cannot listen on %s, which is no address of this machine: CONVOKE_HOST chooses another one"
            .formatted(terms.host()),
        unknown);
  }
}
