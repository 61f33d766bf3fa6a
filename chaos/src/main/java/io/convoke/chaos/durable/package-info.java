/**
 * The durable scenario: three nodes of the engine on one schema run flows of every kind while nodes
 * are killed and stopped, connections cut, Postgres crashed, clocks moved and listeners made deaf;
 * then all is quiet and every flow must have come to what it had to. The engine is known by its
 * tables and by two programs that are started by name; nothing of it is linked here.
 */
@NullMarked
package io.convoke.chaos.durable;

import org.jspecify.annotations.NullMarked;
