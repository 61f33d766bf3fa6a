package io.convoke.bench.load;

import io.convoke.bench.report.Sample;
import io.convoke.lab.child.JavaProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

/** One server that is measured, in its own process. */
public record Candidate(String name, JavaProcess process) implements AutoCloseable {

  public URI url() {
    return process.url();
  }

  public Sample drive(int connections, Requests requests, Duration span) throws IOException {
    InetSocketAddress address = new InetSocketAddress(url().getHost(), url().getPort());
    Duration before = process.cpu();
    return timed(before, LoadGenerator.drive(address, connections, requests, span));
  }

  /** The same with so many requests a second, whether it keeps up or not. */
  public Sample drive(int connections, double perSecond, Requests requests, Duration span)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(url().getHost(), url().getPort());
    Duration before = process.cpu();
    return timed(before, PacedLoad.drive(address, connections, perSecond, requests, span));
  }

  private Sample timed(Duration before, Sample sample) {
    return new Sample(
        sample.operations(),
        sample.failures(),
        sample.span(),
        sample.p50(),
        sample.p99(),
        process.cpu().minus(before));
  }

  @Override
  public void close() {
    process.close();
  }
}
