package io.convoke.bench.load;

import io.convoke.bench.report.MeasuredSample;
import io.convoke.simulator.process.JavaProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

/** One server that is measured, in its own process. */
public record ServerCandidate(String name, JavaProcess process) implements AutoCloseable {

  public URI url() {
    return process.url();
  }

  public MeasuredSample drive(int connections, HttpRequestBytes httpRequestBytes, Duration span)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(url().getHost(), url().getPort());
    Duration before = process.cpu();
    return timed(before, LoadGenerator.drive(address, connections, httpRequestBytes, span));
  }

  /** The same with so many requests a second, whether it keeps up or not. */
  public MeasuredSample drive(
      int connections, double perSecond, HttpRequestBytes httpRequestBytes, Duration span)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(url().getHost(), url().getPort());
    Duration before = process.cpu();
    return timed(
        before, FixedRateLoad.drive(address, connections, perSecond, httpRequestBytes, span));
  }

  private MeasuredSample timed(Duration before, MeasuredSample measuredSample) {
    return new MeasuredSample(
        measuredSample.operations(),
        measuredSample.failures(),
        measuredSample.span(),
        measuredSample.p50(),
        measuredSample.p99(),
        process.cpu().minus(before));
  }

  @Override
  public void close() {
    process.close();
  }
}
