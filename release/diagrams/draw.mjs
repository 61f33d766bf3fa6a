/**
 * Draws each Mermaid diagram of docs/ as docs/images/diagrams/HASH.svg, which ./convoke docs shows
 * in its place. HASH begins the sha256 of the diagram's text.
 *
 *     cd release/diagrams && npm ci && npm run draw
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { renderMermaidSVG } from "beautiful-mermaid";

const docs = new URL("../../docs/", import.meta.url);
const folder = new URL("images/diagrams/", docs);
const LONG = 30;

/** Asks no other host, and follows the reader's colours. */
const style = `<style>
  svg { --bg: #ffffff; --fg: #1b1f24; --muted: #444c56; }
  @media (prefers-color-scheme: dark) { svg { --bg: #14171c; --fg: #e6e8eb; --muted: #b4bac2; } }`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(docs, { recursive: true }).filter((one) => one.endsWith(".md"))) {
  const page = readFileSync(new URL(name, docs), "utf8");
  for (const [, text] of page.matchAll(/^```mermaid\n(.*?)^```$/gms)) {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
    writeFileSync(new URL(`${hash}.svg`, folder), draw(text));
  }
}

function draw(text) {
  const svg = renderMermaidSVG(readable(text), { transparent: true, font: "system-ui" });
  return svg
    .replace(/ style="--bg:[^"]*"/, "")
    .replace(/@import url\('[^']*'\);\s*/, "")
    .replace("'system-ui', ", "")
    .replace("<style>", style)
    .replace(/[ \t]+$/gm, "");
}

/** The same with the long labels of a state's arrows in lines. */
function readable(text) {
  return text.startsWith("stateDiagram")
    ? text.replace(/: (.*)$/gm, (whole, label) =>
        label.length <= LONG ? whole : `: ${label.replaceAll(", ", ",<br/>")}`,
      )
    : text;
}
