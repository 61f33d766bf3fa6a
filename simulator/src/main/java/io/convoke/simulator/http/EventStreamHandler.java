package io.convoke.simulator.http;

import java.io.IOException;
import java.util.Optional;

/** Serves an event stream for as long as it lasts. */
public interface EventStreamHandler {

  /** A refusal, or absent to open the stream. */
  Optional<SimResponse> refuse(SimRequest simRequest);

  /** Writes until the stream ends; throws when the reader disconnects. */
  void serve(SimRequest simRequest, ServerSentEvents stream)
      throws IOException, InterruptedException;
}
