package io.convoke.engine.durable.provider;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;

/**
 * What nodes tell each other of ended instances. A node announces its ends only while another one
 * has asked for them, so nodes whose callers await nothing cost the others nothing. An announcement
 * may be lost or come twice.
 */
public interface EndAnnouncements {
  /** Receives announcements on a thread that it must not block. */
  interface EndReceiver {
    /** Instances with these keys have ended on another node. */
    void ended(Set<Long> keys);

    /** Announcements may have been lost. */
    void missed();
  }

  /** Whether announcements of other nodes reach this one. */
  boolean announced();

  /** Asks the other nodes to announce what ends there in the next minute. */
  void request();

  /** Announces an instance that has ended on this node, if another node asked for it. */
  void ended(String instanceId);

  /** Passes what other nodes announce to the receiver, from now on. */
  void receive(EndReceiver receiver);

  /** The key by which an instance is announced; two instances hardly ever have the same. */
  static long key(String instanceId) {
    return UUID.nameUUIDFromBytes(instanceId.getBytes(StandardCharsets.UTF_8))
        .getLeastSignificantBits();
  }
}
