/**
 * Makes the documentation site of the Markdown pages and the OpenAPI document: static pages with a
 * navigation, a search without a server, and {@code llms.txt}. A link without a target ends it. It
 * writes files and serves none.
 */
@NullMarked
package io.convoke.release.docs;

import org.jspecify.annotations.NullMarked;
