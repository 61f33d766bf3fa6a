// @ts-check
// Data that a page shows: loaded once the stream is connected, and reloaded after a reconnect, every few seconds,
// and on its events.
import { useEffect, useMemo } from './view.js';
import { Resource, useCell } from './cell.js';
import { closeShelf, openShelf } from './store.js';

/** @typedef {import('./types.js').JournalEvent} JournalEvent */

const PAGE = 100;

/** @template T */
export class Shown {
  /**
   * @param {string} key the same for the same
   * @param {() => Promise<T>} fetcher
   * @param {object} [how]
   * @param {(events: JournalEvent[], resource: Resource<T>) => boolean} [how.hears] applies what events say; true: fetch again
   * @param {(value: T) => boolean} [how.moving] whether it changes without events, so that it is looked at more often
   */
  constructor(key, fetcher, { hears = () => false, moving = () => false } = {}) {
    this.key = `shown:${key}`;
    this.resource = new Resource(fetcher);
    this.hears = (/** @type {JournalEvent[]} */ events) => hears(events, this.resource);
    this.moves = moving;
  }

  get cell() {
    return this.resource.cell;
  }

  load() {
    return this.resource.load();
  }

  get moving() {
    const { value } = this.resource;
    return value !== null && this.moves(value);
  }
}

/** @template T @typedef {{items: T[], more: boolean, busy: boolean}} Paged */

/** The newest of a list. All are read each time, since rows come and go anywhere. @template T @extends {Shown<Paged<T>>} */
export class PagedList extends Shown {
  /**
   * @param {string} key
   * @param {(query: any) => Promise<import('./types.js').Page<T>>} fetch
   * @param {any} [how] as of Shown
   */
  constructor(key, fetch, how) {
    super(key, () => readAll(fetch, this.most), how);
    this.most = PAGE;
  }

  async more() {
    this.most += PAGE;
    const busy = (/** @type {boolean} */ is) => this.resource.patch((held) => ({ ...held, busy: is }));
    busy(true);
    await this.load();
    busy(false);
  }
}

/**
 * Opens it while the component is shown. @template {Shown<any>} S @param {() => S} make @param {unknown[]} deps
 * @returns {S}
 */
export function useShown(make, deps) {
  const shown = useMemo(() => openShelf(make()), deps);
  useEffect(() => () => void closeShelf(shown), [shown]);
  useCell(shown.cell);
  return shown;
}

/** Reads pages up to a bound. @template T @param {(query: any) => Promise<import('./types.js').Page<T>>} fetch @param {number} most */
export async function readAll(fetch, most) {
  /** @type {T[]} */
  const items = [];
  let cursor = /** @type {string|null} */ (null);
  /** @type {any} */
  let first = null;
  do {
    const page = await fetch({ limit: Math.min(200, most - items.length), cursor });
    first ??= page;
    items.push(...page.items);
    cursor = page.next_cursor ?? null;
  } while (cursor && items.length < most);
  return { ...first, items, more: cursor !== null };
}
