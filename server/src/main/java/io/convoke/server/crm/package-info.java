/**
 * What is told to a CRM about a meeting: the note in our own words, its form in the CRM's words,
 * and the request that brings it there once. This package reads and writes no row and decides
 * nothing about retries.
 */
@NullMarked
package io.convoke.server.crm;

import org.jspecify.annotations.NullMarked;
