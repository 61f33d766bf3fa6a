/**
 * CRM clients: the note in a neutral form, its conversion to the CRM's form, and the idempotent
 * request that stores it. This package reads and writes no row and decides nothing about retries.
 */
@NullMarked
package io.convoke.server.crm;

import org.jspecify.annotations.NullMarked;
