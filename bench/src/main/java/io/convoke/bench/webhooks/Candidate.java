package io.convoke.bench.webhooks;

import io.convoke.bench.load.LoadGenerator;
import io.convoke.bench.load.Requests;
import io.convoke.bench.report.Sample;
import io.convoke.lab.child.JavaProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

/** One server that is measured, in its own process. */
record Candidate(String name, JavaProcess process) implements AutoCloseable {

  URI url() {
    return process.url();
  }

  Sample drive(int connections, Requests requests, Duration span) throws IOException {
    InetSocketAddress address = new InetSocketAddress(url().getHost(), url().getPort());
    Duration before = process.cpu();
    Sample sample = LoadGenerator.drive(address, connections, requests, span);
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
