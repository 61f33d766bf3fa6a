package io.convoke.simulator.process;

/** Logs without line ends, prints that it is ready, and waits for a signal. */
final class ChattyProgram {
  private ChattyProgram() {}

  public static void main(String[] args) throws InterruptedException {
    System.err.print("half a line of a log");
    System.out.print("ready http://127.0.0.1:4711");
    System.out.flush();
    System.err.print("and the other half");
    System.out.println();
    Thread.currentThread().join();
  }
}
