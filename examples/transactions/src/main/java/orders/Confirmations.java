package orders;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

/** Stands for the mail server. */
@Component
public class Confirmations {
  private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

  void send(Order order) {
    sent.add(order.id());
  }

  BlockingQueue<String> sent() {
    return sent;
  }
}
