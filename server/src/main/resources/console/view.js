// @ts-check
// The only import of the vendored view libraries: pages import from here, never from vendor/.
import { h } from './vendor/preact.js';
import htm from './vendor/htm.js';

export { render } from './vendor/preact.js';
export {
  useEffect,
  useErrorBoundary,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from './vendor/hooks.js';

/** Markup as a tagged template: html`<p class="x">${value}</p>`. @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);
