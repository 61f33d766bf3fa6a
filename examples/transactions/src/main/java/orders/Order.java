package orders;

/** What a customer ordered. */
public record Order(String id, int quantity) {}
