// @ts-check
// Reads a pasted meeting link: which platform, and the id that the platform knows the meeting by.

/** @typedef {{platform: import('./types.js').Platform, id: string, url: string}} Found */

/** @type {[RegExp, RegExp, import('./types.js').Platform][]} */
const SHAPES = [
  [/(^|\.)meet\.google\.com$/, /^\/([a-z]{3}-[a-z]{4}-[a-z]{3})/, 'google_meet'],
  [/(^|\.)zoom\.us$|(^|\.)zoom\.com$/, /^\/(?:j|s|wc\/join|wc)\/(\d+)/, 'zoom'],
  [/(^|\.)teams\.(microsoft|live)\.com$/, /^\/(?:l\/meetup-join|meet)\/([^/?]+)/, 'teams'],
  [/(^|\.)daily\.co$/, /^\/([^/?]+)/, 'daily'],
];

/** @param {string} text @returns {Found|null} */
export function readMeetingLink(text) {
  const given = text.trim();
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  for (const [host, path, platform] of SHAPES) {
    const id = host.test(url.hostname) ? path.exec(url.pathname)?.[1] : undefined;
    if (id) return { platform, id: decodeURIComponent(id), url: given };
  }
  return null;
}
