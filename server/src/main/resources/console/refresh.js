// @ts-check
// Refetches objects whose events lack data: coalesced per object, a few at a time, with a bounded queue.

/** Waits for further events of the same transaction. */
const SETTLE_MS = 200;
/** One object is not fetched more often than this. */
const APART_MS = 1500;
const AT_ONCE = 4;
const LONGEST_QUEUE = 200;
/** The key of the reload that replaces a full queue. */
const ALL = 'all';

export class Refresher {
  /** @param {() => Promise<unknown>} reload reloads all that is shown; cheaper than what a full queue holds */
  constructor(reload) {
    this.reload = reload;
    /** @type {Map<string, {task: () => Promise<unknown>, notBefore: number}>} */
    this.queue = new Map();
    /** @type {Map<string, number>} */
    this.running = new Map();
    /** @type {Map<string, number>} */
    this.ended = new Map();
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** When the timer fires. */
    this.due = Infinity;
  }

  /** @param {string} key @param {() => Promise<unknown>} task */
  touch(key, task) {
    if (this.queue.has(key) || this.queue.has(ALL)) return;
    if (this.queue.size >= LONGEST_QUEUE) {
      this.queue.clear();
      this.touch(ALL, this.reload);
      return;
    }
    const notBefore = Math.max(Date.now() + SETTLE_MS, (this.running.get(key) ?? this.ended.get(key) ?? 0) + APART_MS);
    this.queue.set(key, { task, notBefore });
    this.arm(notBefore - Date.now());
  }

  clear() {
    this.queue.clear();
    this.ended.clear();
  }

  /** Works after so many milliseconds, or earlier. @param {number} ms */
  arm(ms) {
    const wait = Math.max(20, ms);
    const due = Date.now() + wait;
    if (due >= this.due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.work(), wait);
  }

  work() {
    this.due = Infinity;
    const now = Date.now();
    let next = Infinity;
    for (const [key, { task, notBefore }] of this.queue) {
      if (this.running.size >= AT_ONCE) return;
      if (notBefore > now || this.running.has(key)) {
        next = Math.min(next, Math.max(notBefore, now + 50));
        continue;
      }
      this.queue.delete(key);
      this.running.set(key, now);
      void task()
        .catch(() => {})
        .finally(() => this.done(key));
    }
    if (next < Infinity) this.arm(next - now);
  }

  /** @param {string} key */
  done(key) {
    this.running.delete(key);
    this.ended.set(key, Date.now());
    if (this.ended.size > 1000) this.ended.clear();
    if (this.queue.size > 0) this.arm(20);
  }
}
