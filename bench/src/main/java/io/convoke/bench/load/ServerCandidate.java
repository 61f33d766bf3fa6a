package io.convoke.bench.load;

import io.convoke.bench.report.MeasuredSample;
import io.convoke.simulator.process.JavaProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** One measured server, in its own process. */
public record ServerCandidate(String name, JavaProcess process) implements AutoCloseable {

  public URI url() {
    return process.url();
  }

  private InetSocketAddress address() {
    return new InetSocketAddress(url().getHost(), url().getPort());
  }

  /** Sends on each connection the next request as soon as the answer has arrived. */
  public MeasuredSample drive(int connections, HttpRequestBytes requests, Duration span)
      throws IOException {
    return drive(Collections.nCopies(connections, requests), span);
  }

  /** The same with one connection for each caller, which sends its own requests. */
  public MeasuredSample drive(List<HttpRequestBytes> callers, Duration span) throws IOException {
    Duration before = process.cpu();
    return LoadGenerator.drive(address(), callers, span).withCpu(process.cpu().minus(before));
  }

  /** Sends at a fixed rate, even when the server falls behind. */
  public MeasuredSample drive(
      int connections, double perSecond, HttpRequestBytes requests, Duration span)
      throws IOException {
    Duration before = process.cpu();
    return FixedRateLoad.drive(address(), connections, perSecond, requests, span)
        .withCpu(process.cpu().minus(before));
  }

  @Override
  public void close() {
    process.close();
  }
}
