package io.convoke.simulator.http;

import java.io.IOException;
import java.util.Optional;

/** Serves an event stream for as long as it lasts. */
public interface EventStreamHandler {

  /** A refusal, or absent to open the stream. */
  Optional<SimResponse> refuse(SimRequest simRequest);

  /** Writes until the stream is over; it ends early with an exception when the reader goes away. */
  void serve(SimRequest simRequest, ServerSentEvents stream)
      throws IOException, InterruptedException;
}
