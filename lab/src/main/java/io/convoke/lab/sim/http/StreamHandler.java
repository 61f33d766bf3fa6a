package io.convoke.lab.sim.http;

import java.io.IOException;
import java.util.Optional;

/** Serves an event stream for as long as it lasts. */
public interface StreamHandler {

  /** A refusal, or absent to open the stream. */
  Optional<Answer> refuse(Call call);

  /** Writes until the stream is over; it ends early with an exception when the reader goes away. */
  void serve(Call call, EventStream stream) throws IOException, InterruptedException;
}
