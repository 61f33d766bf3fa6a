package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.EgressRequest.EgressLayout;
import io.convoke.agent.egress.JanusForwarder.Forward;
import io.convoke.agent.egress.JanusForwarder.PortPair;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import io.convoke.simulator.audio.MediaEncoder;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real ffmpeg with the arguments of an egress makes of a voice that loses packets. */
@Tag("nightly")
class EgressPacketLossTest {
  private static final String LOCALHOST = "127.0.0.1";

  /** Of one packet of Opus. */
  private static final double SECONDS = 0.02;

  /** The packets that are sent: 24 s. */
  private static final int SENT = 1_200;

  /** The packets of which one in twenty is lost: 3 s. */
  private static final int LOSS_FROM = 500;

  private static final int LOSS_TO = 650;

  @TempDir private Path folder;

  @Test
  void aSpeakersFileIsAsLongAsToldWherePacketsAreLost() throws Exception {
    boolean here = MediaEncoder.install();
    if (!here) {
      System.err.println("SKIPPED: no ffmpeg on this machine; install it");
    }
    Assumptions.assumeTrue(here, "ffmpeg is not here and cannot be had");
    Publisher ada = new Publisher("a", "Ada");
    PortPair ports = JanusForwarder.freePorts();
    FfmpegPlan plan =
        new FfmpegPlan(
            new EgressRequest(
                new EgressKind.RecordRoom(), EgressLayout.GRID, Duration.ofSeconds(5), "secret"),
            LOCALHOST,
            List.of(ada),
            List.of(new Forward(ada, false, ports, 1, 0)));
    Files.writeString(folder.resolve("in.sdp"), plan.sdp(), StandardCharsets.UTF_8);
    try (DatagramSocket relay = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        GuardedFfmpeg ffmpeg = GuardedFfmpeg.start("ffmpeg", plan, folder)) {
      Process speaker = speaker(relay.getLocalPort());
      try {
        pass(relay, ports);
      } finally {
        speaker.destroyForcibly().waitFor();
      }
      ffmpeg.end();
    }

    List<String> segments = Files.readAllLines(folder.resolve(FfmpegPlan.voices(0)));
    assertThat(segments).hasSizeGreaterThanOrEqualTo(4);
    for (String segment : segments) {
      String[] fields = segment.split(",", -1);
      double told = Double.parseDouble(fields[2]) - Double.parseDouble(fields[1]);
      assertThat(packets(fields[0]) * SECONDS).as(segment).isCloseTo(told, within(0.3));
    }
  }

  /** A speaker whose sound comes to this port as RTP, as Janus forwards it. */
  private static Process speaker(int port) throws IOException {
    return new ProcessBuilder(
            ("ffmpeg -hide_banner -loglevel error -nostdin -re -f lavfi"
                    + " -i sine=frequency=440:sample_rate=48000 -ac 2 -c:a libopus -b:a 32k"
                    + " -payload_type %d -f rtp rtp://%s:%d?pkt_size=1200")
                .formatted(JanusForwarder.OPUS, LOCALHOST, port)
                .split(" ", -1))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Passes on what comes, and loses some of it. */
  private static void pass(DatagramSocket relay, PortPair ports) throws IOException {
    Random random = new Random(5);
    relay.setSoTimeout(10_000);
    byte[] buffer = new byte[2048];
    for (int i = 0; i < SENT; i++) {
      DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
      relay.receive(packet);
      boolean lost = i >= LOSS_FROM && i < LOSS_TO && random.nextInt(20) == 0;
      if (!lost) {
        relay.send(
            new DatagramPacket(
                buffer, packet.getLength(), InetAddress.getLoopbackAddress(), ports.media()));
      }
    }
  }

  private long packets(String file) throws Exception {
    Process probe =
        new ProcessBuilder(
                "ffprobe", "-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", file)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = probe.inputReader(StandardCharsets.US_ASCII)) {
      return lines.lines().filter(line -> !line.isBlank()).count();
    }
  }
}
