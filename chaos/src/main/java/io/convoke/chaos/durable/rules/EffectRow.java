package io.convoke.chaos.durable.rules;

/**
 * A row of a transactional effect.
 *
 * @param key of the activity that made it
 * @param number of the activity within its flow
 */
public record EffectRow(String key, String flow, int number, long amount) {}
