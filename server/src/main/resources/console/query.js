// @ts-check
// Data that a page shows: loaded once the stream is connected, and reloaded after a reconnect, every few seconds,
// and on its events. A paged list keeps its pages; only the newest is fetched again.
import { useEffect, useMemo } from './view.js';
import { Resource, useCell } from './cell.js';
import { asProblem } from './problem.js';
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

/** @typedef {{id: string|number, created_at: string}} Dated */
/** @template T @typedef {{items: T[], more: boolean, busy: boolean}} Paged */

/** A list read page by page, newest first. @template {Dated} T @extends {Shown<Paged<T>>} */
export class PagedList extends Shown {
  /**
   * @param {string} key
   * @param {(query: any) => Promise<import('./types.js').Page<T>>} fetch
   * @param {any} [how] as of Shown
   */
  constructor(key, fetch, how) {
    super(key, async () => this.newest(await fetch({ limit: PAGE })), how);
    this.fetch = fetch;
    /** @type {string|null} */
    this.cursor = null;
  }

  /** The newest page, followed by the older loaded rows. @param {import('./types.js').Page<T>} page @returns {Paged<T>} */
  newest({ items, next_cursor }) {
    const last = items.at(-1);
    const ids = new Set(items.map(({ id }) => id));
    const held = last && next_cursor ? (this.resource.value?.items ?? []) : [];
    const older = held.filter((each) => !ids.has(each.id) && each.created_at <= /** @type {T} */ (last).created_at);
    if (older.length === 0) this.cursor = next_cursor ?? null;
    return { items: [...items, ...older], more: this.cursor !== null, busy: false };
  }

  async more() {
    const { cursor, resource } = this;
    if (!cursor || resource.value?.busy) return;
    resource.patch((held) => ({ ...held, busy: true }));
    try {
      const page = await this.fetch({ limit: PAGE, cursor });
      this.cursor = page.next_cursor ?? null;
      resource.patch(({ items }) => {
        const ids = new Set(items.map(({ id }) => id));
        return { items: [...items, ...page.items.filter(({ id }) => !ids.has(id))], more: this.cursor !== null, busy: false };
      });
    } catch (thrown) {
      resource.patch((held) => ({ ...held, busy: false }));
      resource.cell.update((before) => ({ ...before, phase: 'failed', problem: asProblem(thrown) }));
    }
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
